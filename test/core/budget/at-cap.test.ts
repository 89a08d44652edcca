import { expect, test } from 'vitest';
import type { Answer } from '../../../src/contract/approvals.ts';
import { apply } from '../../../src/core/apply.ts';
import { readLedgerRequest } from '../../../src/core/budget/request.ts';
import { decide } from '../../../src/core/decide.ts';
import { answer, answerRefusal } from '../../../src/core/people/answers.ts';
import type { Run } from '../../../src/core/run.ts';
import { after, fresh, T0 } from '../builders.ts';

const caps = [{ key: 'day:2026-11-21', costUsd: 1 }];

/** A run whose next call does not fit under a shared cap any more. */
function atCap(): Run {
  const left = { costUsd: 0, tokens: 0 };
  return after(fresh({ budget: { atCap: 'ask', ledger: 'l', caps } }), {
    kind: 'leased',
    result: { status: 'refused', cap: 'day:2026-11-21', message: 'used up', left },
    isLast: false,
  });
}

function topUp(run: Run, said: Partial<Answer>): Answer {
  return { id: run.approvals[0]!.id, decision: 'answer', choice: 'topup', by: 'ann', ...said };
}

const AMOUNT = /it wants an amount such as \$5 or 200000 tokens, or none for the one offered$/u;

test.each<[said: Partial<Answer>]>([
  [{ text: '0.50$' }],
  [{ text: '$1,000' }],
  [{ text: '200k tokens' }],
  [{ text: 'five dollars' }],
  [{ text: '0' }],
  [{ text: '9999999999999999' }],
  [{ note: 'at most $2 of it' }],
])('an amount that cannot be read is never taken for the one offered: %j', (said) => {
  const run = atCap();
  expect(answerRefusal(run, topUp(run, said), T0)?.message).toMatch(AMOUNT);
});

test.each<[said: Partial<Answer>]>([
  [{}],
  [{ text: ' ' }],
  [{ note: 'go ahead' }],
  [{ text: '2.5 USD' }],
  [{ text: '200000 tokens' }],
  [{ choice: 'stop', text: 'that was 5 too many' }],
  [{ decision: 'deny', note: 'after 5 runs' }],
])('and nothing else is asked of who answers: %j', (said) => {
  const run = atCap();
  expect(answerRefusal(run, topUp(run, said), T0)).toBeNull();
});

test.each<[what: string, said: Partial<Answer>]>([
  ['by somebody with a long name', { by: 'a'.repeat(5_000) }],
  ['with more than there is', { text: `${'9'.repeat(40)} tokens` }],
])('the ledger can read a top-up %s, so that no run is parked by one', (_what, said) => {
  const run = atCap();
  const decision = decide(after(answer(run, topUp(run, said), T0), { kind: 'woken' }), T0);
  if (decision.kind !== 'lease') throw new Error(`expected a lease, got ${decision.kind}`);
  expect(decision.input.topUp).toMatchObject({ cap: 'day:2026-11-21' });
  expect(readLedgerRequest({ run: 'r', execution: 'e', caps, input: decision.input })).not.toBeNull();
});

test('a person who refuses to top up is named, and only where nobody answered it was nobody', () => {
  const run = atCap();
  const { id, deadline } = run.approvals[0]!;
  const denied = after(answer(run, { id, decision: 'deny', by: 'ann' }, T0), { kind: 'woken' });
  const expired = apply(run, { kind: 'woken' }, deadline + 60_000);
  expect(denied.result?.outcome).toMatchObject({ message: 'used up; ann did not top up' });
  expect(expired.result?.outcome).toMatchObject({ message: 'used up; nobody topped up' });
});
