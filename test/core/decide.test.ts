import { expect, test } from 'vitest';
import { decide, type Decision } from '../../src/core/decide.ts';
import { pause, resume } from '../../src/core/people/answers.ts';
import type { Run } from '../../src/core/run.ts';
import { after, fresh, reply, result, started, T0, verdict } from './builders.ts';

const read: [string, unknown] = ['read', { path: 'a' }];
const write: [string, unknown] = ['write', { path: 'a' }];
const bash: [string, unknown] = ['bash', { command: 'make' }];

const hook = { name: 'h', on: 'before_stop', command: 'true', effect: 'read', timeoutMs: 1_000 } as const;
const unsure = { critique: { when: 'before_complete', redoMax: 3, askBelow: 60 } } as const;

/** What a decision says, in a word or two. */
function said(decision: Decision): string {
  if (decision.kind === 'act') return `act ${decision.calls.map(({ id }) => id).join(' ')}`;
  if (decision.kind === 'think') return `think ${decision.purpose}`;
  if (decision.kind === 'wait') return `wait ${decision.approvalId}`;
  if (decision.kind === 'end') return `end ${decision.result.outcome.status}`;
  return decision.kind;
}

const cases: [name: string, run: Run, expected: string][] = [
  ['a new run asks the model', fresh(), 'think turn'],
  ['a reply without calls ends the run', after(fresh(), reply(1, 'done')), 'end completed'],
  ['reads that stand together run together', after(fresh(), reply(1, '', [read, read, write, read])), 'act c1-0 c1-1'],
  ['a write runs alone', after(fresh(), reply(1, '', [write, write])), 'act c1-0'],
  [
    'the next write waits for the one before',
    after(fresh(), reply(1, '', [write, write]), started('c1-0'), result('c1-0')),
    'act c1-1',
  ],
  [
    'at most eight reads run at once',
    after(
      fresh(),
      reply(
        1,
        '',
        Array.from({ length: 20 }, () => read),
      ),
    ),
    `act ${Array.from({ length: 8 }, (_, i) => `c1-${i}`).join(' ')}`,
  ],
  ['a call that needs leave waits for a person', after(fresh(), reply(1, '', [bash])), 'wait r1.1'],
  ['reads before it do not wait', after(fresh(), reply(1, '', [read, bash])), 'act c1-0'],
  [
    'all results close the turn and the model is asked',
    after(fresh(), reply(1, '', [read]), started('c1-0'), result('c1-0')),
    'think turn',
  ],
  ['a paused run holds', pause(fresh(), 'ann', T0), 'hold'],
  ['a resumed run goes on', resume(pause(fresh(), 'ann', T0), 'ann', T0), 'think turn'],
  ['a parked run holds', after(fresh(), { kind: 'parked', reason: 'credit', message: 'no credit' }), 'hold'],
  [
    'a cancelled run ends with its calls closed',
    after(fresh(), reply(1, '', [bash]), { kind: 'cancelled' }),
    'end cancelled',
  ],
  ['a run paused too long stops', after(pause(fresh(), 'ann', T0), { kind: 'held_too_long' }), 'end stopped'],
  [
    'so does one whose critique asks a person meanwhile',
    after(pause(after(fresh(unsure), reply(1, 'done'), verdict('retry', 'hm', 10)), 'ann', T0), {
      kind: 'held_too_long',
    }),
    'end stopped',
  ],
  [
    'and one parked too long, behind the hooks that come before the stop',
    after(fresh({ hooks: [hook] }), { kind: 'parked', reason: 'credit', message: '' }, { kind: 'held_too_long' }),
    'hook',
  ],
  [
    'a full window is compacted first',
    {
      ...after(fresh(), reply(1, '', [read]), started('c1-0'), result('c1-0')),
      windowTokens: 150_000,
      messages: Array.from({ length: 9 }, () => ({ role: 'user', content: [] })),
    },
    'compact',
  ],
];

test.each(cases)('decide(): %s', (_name, run, expected) => {
  expect(said(decide(run, T0))).toBe(expected);
});

test('a call whose question is not there is a bug that shows, and no wait for nobody', () => {
  const asked = after(fresh(), reply(1, '', [bash]));
  const [call] = asked.calls;
  expect(call?.status).toBe('awaiting_approval');
  expect(() => decide({ ...asked, approvals: [] }, T0)).toThrow('call "c1-0" waits for a question that is not there');
});
