import { expect, test } from 'vitest';
import type { Answer } from '../../../src/contract/approvals.ts';
import { settle } from '../../../src/core/people/approvals.ts';
import { answer } from '../../../src/core/people/answers.ts';
import { apply } from '../../../src/core/apply.ts';
import { settleRun } from '../../../src/core/settle.ts';
import { after, fresh, reply, T0 } from '../builders.ts';

const asked = after(fresh(), reply(1, '', [['bash', { command: 'make' }]]));
const question = after(fresh(), reply(1, '', [['ask_human', { question: 'Which?', options: ['red', 'blue'] }]]));
const open = asked.approvals[0]!;
const approve: Answer = { id: open.id, decision: 'approve', by: 'ann', digest: open.digest, at: T0 + 100 };
const deadline = open.deadline;

/** `accepted`, or why not. */
function verdict(run: typeof asked, given: Answer, now: number): string {
  const settled = settle(run.approvals, given, now);
  return settled.kind === 'accepted' ? settled.approval.status : settled.refusal.reason;
}

const cases: [name: string, given: Answer, now: number, expected: string][] = [
  ['an approval in time', approve, T0 + 200, 'approved'],
  ['a denial needs no digest', { id: open.id, decision: 'deny', by: 'ann' }, T0 + 200, 'denied'],
  [
    'one stamped in time but seen after the deadline counts',
    { ...approve, at: deadline - 1 },
    deadline + 60_000,
    'approved',
  ],
  ['one stamped exactly at the deadline counts', { ...approve, at: deadline }, deadline + 60_000, 'approved'],
  [
    'one stamped late is refused though the run sees it in time',
    { ...approve, at: deadline + 1 },
    T0 + 200,
    'too_late',
  ],
  [
    'one without a stamp is judged by the time of the run',
    { id: open.id, decision: 'deny', by: 'ui' },
    deadline + 1,
    'too_late',
  ],
  ['a stamp from before the question is no stamp', { ...approve, at: T0 - 99_999 }, deadline + 1, 'too_late'],
  ['another digest is refused', { ...approve, digest: 'sha256:else' }, T0 + 200, 'wrong_digest'],
  [
    'an approval without a digest is refused',
    { id: open.id, decision: 'approve', by: 'ann' },
    T0 + 200,
    'wrong_digest',
  ],
  [
    'a denial with another digest is refused',
    { ...approve, decision: 'deny', digest: 'sha256:else' },
    T0 + 200,
    'wrong_digest',
  ],
  ['words are no leave', { ...approve, decision: 'answer', text: 'yes' }, T0 + 200, 'wrong_kind'],
  ['another run has other questions', { ...approve, id: 'r2.1' }, T0 + 200, 'not_found'],
];

test.each(cases)('settle(): %s', (_name, given, now, expected) => {
  expect(verdict(asked, given, now)).toBe(expected);
});

test('the first valid answer wins, and the second hears who and when', () => {
  const run = answer(asked, { id: open.id, decision: 'deny', by: 'ann', at: T0 + 100 }, T0 + 100);
  const second = settle(run.approvals, { ...approve, by: 'bob' }, T0 + 200);
  expect(second).toMatchObject({ kind: 'refused', refusal: { reason: 'already_answered' } });
  expect(second.kind === 'refused' && second.refusal.message).toMatch(/already denied by ann at 20\d\d-/u);
});

test('a refused answer is recorded as an event and changes nothing else', () => {
  const run = answer(asked, { ...approve, digest: 'sha256:else' }, T0 + 200);
  expect(run.approvals).toEqual(asked.approvals);
  expect(run.log.kept.at(-1)).toMatchObject({ type: 'approval.refused', by: 'ann', reason: 'wrong_digest' });
});

test('after expiry nothing counts, and expiry is nobody’s decision', () => {
  const run = apply(asked, { kind: 'woken' }, deadline + 5_000);
  expect(run.approvals[0]).toMatchObject({ status: 'expired' });
  expect(run.approvals[0]?.answer).toBeUndefined();
  expect(verdict(run, { ...approve, at: deadline - 5 }, deadline + 6_000)).toBe('too_late');
});

test('a choice must be one of the options', () => {
  const [choice] = question.approvals;
  const given: Answer = { id: choice!.id, decision: 'answer', by: 'ann', choice: '3' };
  expect(verdict(question, given, T0 + 5)).toBe('wrong_kind');
  const run = settleRun(answer(question, { ...given, choice: '2', note: 'like the sky' }, T0 + 5), T0 + 5);
  expect(JSON.stringify(run.messages.at(-1))).toContain('ann chose: blue');
});

test('a malformed question goes back to the model with the shape it needs', () => {
  const run = after(fresh(), reply(1, '', [['ask_human', { question: '' }]]));
  expect(JSON.stringify(run.messages.at(-1))).toContain('invalid_params: expected');
});

test('answers are kept short once the model has heard them whole', () => {
  const words = after(fresh(), reply(1, '', [['ask_human', { question: 'Why?' }]]));
  const given: Answer = { id: words.approvals[0]!.id, decision: 'answer', by: 'ann', text: 'w'.repeat(9_000) };
  const run = settleRun(answer(words, given, T0 + 5), T0 + 5);
  expect(JSON.stringify(run.messages.at(-1))).toContain('w'.repeat(9_000));
  expect(run.approvals[0]?.answer?.text?.length).toBeLessThan(400);
});

const sixty = Array.from({ length: 60 }, (): [string, unknown] => ['bash', {}]);
const many = after(fresh(), reply(1, '', sixty));
const denials = many.approvals.map(({ id }): Answer => ({ id, decision: 'deny', by: 'ann' }));

test.each([
  ['expire in one moment', apply(many, { kind: 'woken' }, deadline + 60_000)],
  [
    'are answered before the run looks',
    settleRun(
      denials.reduce((run, given) => answer(run, given, T0), many),
      T0,
    ),
  ],
])('sixty questions of one turn that %s are all followed, and then most are forgotten', (_name, decided) => {
  expect(decided.calls).toEqual([]);
  expect(decided.totals.denied + decided.totals.expired).toBe(60);
  expect(decided.approvals).toHaveLength(50);
});
