import { expect, test } from 'vitest';
import type { RunSpec } from '../../../src/contract/spec.ts';
import { begin } from '../../../src/core/begin.ts';
import { decide } from '../../../src/core/decide.ts';
import { receive } from '../../../src/core/people/inbox.ts';
import { after, fresh, lastText, looking, next, reply, T0, verdict } from '../builders.ts';

const afterModel = { name: 'h', on: 'after_model', command: 'true', effect: 'read', timeoutMs: 1_000 } as const;

test('words that arrive while a hook holds the completion check back are answered before the run ends', () => {
  const done = after(fresh({ completionCheck: true, hooks: [afterModel] }), reply(1, 'done'));
  const decision = decide(done, T0);
  if (decision.kind !== 'hook') throw new Error(`expected a hook, got ${decision.kind}`);
  const told = receive(done, { by: 'ann', text: 'also the report' }, T0);
  const hooked = { status: 'ok', context: '', reason: '', durationMs: 1 } as const;
  const heard = after(told, { kind: 'hooked', due: decision.due, result: hooked });
  expect(lastText(heard)).toBe('ann says: also the report');
  expect(next(heard)).toBe('think turn');
  expect(next(after({ ...heard, spec: { ...heard.spec, hooks: [] } }, reply(2, 'done')))).toBe('reflect completion');
});

test('a run whose critique said complete, and that a person sent on, was not completed by the critique', () => {
  const reached = after(fresh({ critique: { when: ['every_turn'], redoMax: 3 } }), ...looking(1), verdict('complete'));
  expect(next(after(reached, reply(2, 'so')))).toBe('end critique');
  const told = receive(reached, { by: 'ann', text: 'also the report' }, T0);
  expect(next(after(told, { kind: 'woken' }, reply(2, 'so')))).toBe('end answered');
});

test('a run that stops and cannot have the money for its last words ends for its own reason, and waits for nobody', () => {
  const budget: RunSpec['budget'] = { atCap: 'ask', ledger: 'l', caps: [{ key: 'day:1', costUsd: 1 }] };
  const stopping = after(
    fresh({ budget, limits: { turns: 1, toolCalls: 9, activeMs: 1e6, tokens: 1e6, costUsd: 9 } }),
    ...looking(1),
  );
  const decision = decide(stopping, T0);
  expect(decision.kind).toBe('lease');
  const refused = { status: 'refused', cap: 'day:1', message: 'used up', left: { costUsd: 0, tokens: 0 } } as const;
  const run = after(begin(stopping, decision, T0), { kind: 'leased', isLast: false, result: refused });
  expect(run.result).toMatchObject({ stopReason: 'turns', answer: expect.stringContaining('1 turns') });
});
