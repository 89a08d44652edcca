import { expect, test } from 'vitest';
import type { Usage } from '../../../src/contract/messages.ts';
import type { Observation } from '../../../src/core/apply.ts';
import type { Run } from '../../../src/core/run.ts';
import { after, fresh, next, planOf, reply, verdict, words } from '../builders.ts';

const lost: Usage = { input: 100, output: 20, cacheRead: 3, cacheWrite: 4, costUsd: 0.5 };
const broken = (
  purpose: 'turn' | 'plan' | 'critique' | 'summary',
): { broken: { purpose: typeof purpose; usage: Usage } } => ({
  broken: { purpose, usage: lost },
});

/** The same observation after attempts that broke off. */
function withLost(observation: Observation): Observation {
  if (!('result' in observation) || observation.result === null) throw new Error('unreachable');
  return { ...observation, result: { ...observation.result, lost } } as Observation;
}

function problems(run: Run): readonly string[] {
  return run.log.kept.flatMap((event) => (event.type === 'model.problem' ? [event.problem] : []));
}

test.each<[name: string, observation: Observation]>([
  ['turn', reply(1, 'hello')],
  ['plan', planOf(1)],
  ['critique', verdict('continue')],
  ['completion', { kind: 'completion', result: words('{"done": true}') }],
  ['loop', { kind: 'loop', result: words('no') }],
  ['summary', { kind: 'summary', result: words('done') }],
  ['compact', { kind: 'compacted', summarised: { messages: 2, by: 'model', result: words('what was done') } }],
])('attempts of a %s that broke off are money and tokens of the one call it is', (purpose, observation) => {
  const start = fresh();
  const result = observation.kind === 'compacted' ? observation.summarised?.result : undefined;
  const failing: Observation =
    observation.kind === 'compacted' && result !== undefined
      ? { ...observation, summarised: { messages: 2, by: 'model', result: { ...result, lost } } }
      : withLost(observation);
  const [plain, costly] = [after(start, observation), after(start, failing)];
  expect(costly.totals.usage).toEqual({ input: 110, output: 25, cacheRead: 3, cacheWrite: 4, costUsd: 0.51 });
  expect(costly.totals.spending).toMatchObject([{ purpose, calls: 1, usage: costly.totals.usage }]);
  expect(costly.budget.purse.spent).toEqual({ costUsd: 0.51, tokens: 142 });
  expect(costly.totals.unpricedCalls).toBe(0);
  expect(problems(costly).length - problems(plain).length).toBe(1);
  expect(problems(costly)).toContain('an earlier attempt broke off; 127 tokens were paid for all the same');
  // The window is filled by what was said last, not by what was paid.
  expect(costly.windowTokens).toBe(plain.windowTokens);
  expect(next(costly)).toBe(next(plain));
});

test.each<[name: string, observation: Observation, purpose: string]>([
  ['is parked', { kind: 'parked', reason: 'credit', message: 'no credit', ...broken('plan') }, 'plan'],
  ['is rejected', { kind: 'reply_lost', why: 'rejected', message: 'odd', ...broken('turn') }, 'turn'],
  ['is an aside without answer', { kind: 'critique', result: null, ...broken('critique') }, 'critique'],
  ['is the last summary', { kind: 'summary', result: null, ...broken('summary') }, 'summary'],
  ['is cancelled', { kind: 'cancelled', ...broken('turn') }, 'turn'],
])('a call that %s after it was paid for is a call without a reply', (_name, observation, purpose) => {
  const run = after(fresh(), observation);
  expect(run.totals.usage).toEqual(lost);
  expect(run.totals.spending).toEqual([{ purpose, model: 'offline-test', calls: 1, usage: lost }]);
  expect(run.budget.purse.spent).toEqual({ costUsd: 0.5, tokens: 127 });
  expect(problems(run)).toContain('the call brought no reply; 127 tokens were paid for all the same');
});

test('a summary that came to nothing is paid to the model that was to write it, which is the own one for the API', () => {
  const screening = { id: 'light', maxTokens: 1_000, contextTokens: 200_000, offline: true };
  const run = after(fresh({ screening }), {
    kind: 'compacted',
    summarised: null,
    lost: [
      { purpose: 'compact', by: 'api', usage: lost },
      { purpose: 'compact', by: 'model', usage: lost },
    ],
  });
  expect(run.totals.spending).toEqual([
    { purpose: 'compact', model: 'offline-test', calls: 1, usage: lost },
    { purpose: 'compact', model: 'light', calls: 1, usage: lost },
  ]);
});

test('what was lost counts against the limits of the run', () => {
  const limits = { turns: 50, toolCalls: 100, activeMs: 300_000, tokens: 1_000_000, costUsd: 0.2 };
  const run = after(fresh({ limits }), withLost(reply(1, 'look', [['read', {}]])));
  expect(run.ending ?? run.matter).not.toBeNull();
  expect(after(fresh({ limits }), reply(1, 'look', [['read', {}]])).ending).toBeNull();
});
