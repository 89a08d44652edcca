import { expect, test } from 'vitest';
import { exitCodeOf, type RunEnd } from '../../../src/cli/following/run-end.ts';
import type { Outcome, Parking, StopCause, Totals } from '../../../src/contract/run.ts';

const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, costUsd: 0 };
const totals: Totals = {
  turns: 1,
  toolCalls: 1,
  activeMs: 1,
  usage,
  unpricedCalls: 0,
  denied: 0,
  expired: 0,
  unknown: 0,
};

function ended(outcome: Outcome, more: Partial<Totals> = {}): RunEnd {
  return {
    kind: 'ended',
    closedAs: 'COMPLETED',
    result: { runId: 'r', outcome, answer: '', totals: { ...totals, ...more } },
  };
}

function closedAs(status: string): RunEnd {
  return { kind: 'ended', closedAs: status, result: null };
}

function stopped(reason: StopCause): RunEnd {
  return ended({ status: 'stopped', reason, message: '' });
}

function parked(reason: Parking['reason']): RunEnd {
  const view = { state: 'paused', now: '', approvals: [], totals, parked: { reason, message: '', since: 0 } } as const;
  return { kind: 'waiting', view };
}

const cases: [name: string, end: RunEnd, code: number][] = [
  ['done', ended({ status: 'completed' }), 0],
  ['done, a call denied', ended({ status: 'completed' }, { denied: 1 }), 10],
  ['done, a call expired', ended({ status: 'completed' }, { expired: 1 }), 10],
  ['done, a call of unknown outcome', ended({ status: 'completed' }, { unknown: 1 }), 10],
  ['failed', ended({ status: 'failed', error: 'X', message: '' }), 1],
  ['cancelled', ended({ status: 'cancelled', by: 'me' }), 14],
  ['out of turns', stopped('turns'), 11],
  ['out of tool calls', stopped('tool_calls'), 11],
  ['out of time', stopped('active_time'), 11],
  ['out of tokens', stopped('tokens'), 11],
  ['out of money', stopped('cost'), 11],
  ['paused too long', stopped('paused_too_long'), 11],
  ['an approval expired and stopped it', stopped('approval_expired'), 13],
  ['the model refused', stopped('refusal'), 1],
  ['too many errors in a row', stopped('consecutive_errors'), 18],
  ['a loop that nothing ended', stopped('loop'), 15],
  ['a budget is used up', stopped('budget'), 11],
  ['a person stopped it', stopped('person'), 14],
  ['the agent gave up', stopped('gave_up'), 16],
  ['declared outputs are missing', stopped('outputs_missing'), 17],
  ['terminated from outside', closedAs('TERMINATED'), 14],
  ['timed out by Temporal', closedAs('TIMED_OUT'), 11],
  ['failed without a result', closedAs('FAILED'), 1],
  ['waiting for a person', { kind: 'waiting', view: { state: 'awaiting_human', now: '', approvals: [], totals } }, 12],
  ['parked for credentials', parked('credentials'), 4],
  ['parked for credit', parked('credit'), 12],
  ['parked for an unreachable model', parked('model_unreachable'), 12],
  ['time for following is up', { kind: 'timeout' }, 124],
  ['detached', { kind: 'detached' }, 130],
  ['gone', { kind: 'gone' }, 5],
  ['unreachable', { kind: 'unreachable', message: '' }, 3],
];

test.each(cases)('exit code: %s', (_name, end, code) => {
  expect(exitCodeOf(end, { allowDenied: false })).toBe(code);
});

test('--allow-denied makes a run with denied calls a success, and no other', () => {
  const changed = cases.filter(([, end, code]) => exitCodeOf(end, { allowDenied: true }) !== code);
  expect(changed.map(([, , code]) => code)).toEqual([10, 10, 10]);
});
