import { describe, expect, test } from 'vitest';
import type { LeaseInput, LeaseResult } from '../../../src/contract/activities.ts';
import type { Cap } from '../../../src/contract/budget.ts';
import { emptyLedger, type Ledger } from '../../../src/core/budget/ledger-state.ts';
import { lease, viewOf, type LeaseRequest } from '../../../src/core/budget/ledger.ts';
import { COUNTERS_MAX, HOLDERS_MAX } from '../../../src/core/budget/ledger-state.ts';

const DAY_MS = 86_400_000;
/** Noon of 2026-11-21, UTC. */
const NOON = Date.UTC(2026, 10, 21, 12);
const none = { costUsd: 0, tokens: 0 };
const cents = (count: number): { costUsd: number; tokens: number } => ({ costUsd: count / 100, tokens: 0 });
const day: Cap = { key: 'day:2026-11-21', costUsd: 5 };

type Step = Partial<Omit<LeaseRequest, 'input' | 'today'>> & Partial<LeaseInput>;

/** A lease of one cent by run `a`, unless it is said otherwise. */
function request(step: Step): LeaseRequest {
  const { run = 'a', execution = `${run}-1`, caps = [day], now = NOON, ...input } = step;
  const today = new Date(now).toISOString().slice(0, 10);
  return { run, execution, caps, now, today, input: { lease: 1, wanted: cents(1), spent: none, ...input } };
}

function play(steps: readonly Step[], from: Ledger = emptyLedger): { ledger: Ledger; results: (LeaseResult | null)[] } {
  const results: (LeaseResult | null)[] = [];
  let ledger = from;
  for (const step of steps) {
    const leased = lease(ledger, request(step));
    ledger = leased.ledger;
    results.push(leased.result);
  }
  return { ledger, results };
}

/** `key: spent + leased` in dollars, of every counter. */
const dollars = ({ ledger }: { ledger: Ledger }): Record<string, string> =>
  Object.fromEntries(
    viewOf(ledger).counters.map(({ key, spent, leased }) => [key, `${spent.costUsd} + ${leased.costUsd}`]),
  );
const granted = ({ results }: { results: (LeaseResult | null)[] }): (number | string)[] =>
  results.map((result) => (result?.status === 'granted' ? result.granted.costUsd : (result?.message ?? 'no answer')));

describe('lease() sizes a slice', () => {
  const sizes: [name: string, cap: number, wanted: number, slice: number][] = [
    ['as eight calls where there is much left', 5, 1, 0.08],
    ['as a fiftieth of what is left where that is less, in whole calls', 2, 1, 0.04],
    ['as the one call that is wanted where little is left', 0.3, 1, 0.01],
    ['as all that is left where that is just enough', 0.01, 1, 0.01],
    ['as nothing for a call that costs nothing', 5, 0, 0],
  ];
  test.each(sizes)('%s', (_name, costUsd, wanted, slice) => {
    expect(granted(play([{ caps: [{ ...day, costUsd }], wanted: cents(wanted) }]))).toEqual([slice]);
  });

  test('by the tightest of its caps, and in each unit that has one', () => {
    const caps = [day, { key: 'tree:a', tokens: 3_000 }];
    const { results } = play([{ caps, wanted: { costUsd: 0.01, tokens: 1_000 } }]);
    expect(results).toEqual([{ status: 'granted', granted: { costUsd: 0.01, tokens: 1_000 } }]);
  });
});

describe('lease() settles', () => {
  const stories: [name: string, steps: Step[], counters: Record<string, string>][] = [
    [
      'what was spent, and a new slice takes the place of the rest',
      [{}, { lease: 2, spent: cents(5) }],
      { [day.key]: '0.05 + 0.08' },
    ],
    ['a call that took more than its slice', [{}, { lease: 2, spent: cents(20) }], { [day.key]: '0.2 + 0.08' }],
    [
      'the last lease: all goes back',
      [{}, { lease: 2, spent: cents(5), wanted: none, isLast: true }],
      { [day.key]: '0.05 + 0' },
    ],
    [
      'a run that goes on after it handed all back',
      [{}, { lease: 2, spent: cents(5), isLast: true }, { lease: 3, spent: cents(5) }],
      { [day.key]: '0.05 + 0.08' },
    ],
    ['nothing of a dead run: its slice stays reserved', [{}, { run: 'b' }], { [day.key]: '0 + 0.16' }],
    [
      'once, when the same lease is asked for twice',
      [{}, { lease: 2, spent: cents(5) }, { lease: 2, spent: cents(5) }],
      { [day.key]: '0.05 + 0.08' },
    ],
    [
      'the slice of a day that has passed on that day, and what is spent beyond it today',
      [{}, { lease: 2, spent: cents(9), now: NOON + DAY_MS }, { lease: 3, spent: cents(11), now: NOON + DAY_MS }],
      { [day.key]: '0.09 + 0', 'day:2026-11-22': '0.02 + 0.08' },
    ],
    [
      'what was not spent of the slice of a day that has passed as given back, and all of the new one today',
      [{}, { lease: 2, spent: cents(5), now: NOON + DAY_MS }, { lease: 3, spent: cents(13), now: NOON + DAY_MS }],
      { [day.key]: '0.05 + 0', 'day:2026-11-22': '0.08 + 0.08' },
    ],
    [
      'on the day of its slice what a run spends that was refused another today',
      [
        {},
        { lease: 2, spent: cents(5), wanted: cents(600), now: NOON + DAY_MS },
        { lease: 3, spent: cents(7), now: NOON + DAY_MS },
      ],
      { [day.key]: '0.07 + 0', 'day:2026-11-22': '0 + 0.08' },
    ],
    [
      'a reset, whose leases are counted anew from what was spent by then',
      [
        {},
        { lease: 2, spent: cents(5) },
        { lease: 3, spent: cents(9) },
        { execution: 'a-2', lease: 2, spent: cents(5) },
        { execution: 'a-2', lease: 3, spent: cents(6) },
      ],
      { [day.key]: '0.18 + 0.08' },
    ],
    [
      'a run that the ledger has forgotten from now on',
      [
        { lease: 7, spent: cents(300) },
        { lease: 8, spent: cents(301) },
      ],
      { [day.key]: '0.01 + 0.08' },
    ],
  ];
  test.each(stories)('%s', (_name, steps, counters) => {
    expect(dollars(play(steps))).toEqual(counters);
  });

  test('an answer that nobody waits for any more is none', () => {
    expect(play([{}, { lease: 2 }, { lease: 1 }]).results.at(-1)).toBeNull();
  });
});

describe('lease() refuses', () => {
  const caps = [{ ...day, costUsd: 0.05 }];
  const spent: Step[] = [{ caps }, { caps, lease: 2, spent: cents(4), isLast: true }];

  const refusals: [name: string, steps: Step[], message: string][] = [
    [
      'with what was spent and what is left',
      [...spent, { caps, run: 'b', wanted: cents(2) }],
      'the budget of $0.05 for day 2026-11-21 is used up: $0.04 spent, $0.01 left, and the next call may take $0.02',
    ],
    [
      'with what other runs have in hand',
      [
        { caps, wanted: cents(4) },
        { caps, run: 'b', wanted: cents(2) },
      ],
      'the budget of $0.05 for day 2026-11-21 is used up: $0.00 spent, $0.04 reserved by other runs, $0.01 left, and the next call may take $0.02',
    ],
    [
      'in tokens, of the agent',
      [{ caps: [{ key: 'agent:auditor:2026-11-21', tokens: 9_999 }], wanted: { costUsd: 1, tokens: 1_234_567 } }],
      'the budget of 9,999 tokens for agent auditor on 2026-11-21 is used up: 0 tokens spent, 9,999 tokens left, and the next call may take 1,234,567 tokens',
    ],
    [
      'with a sum under a cent',
      [{ caps: [{ key: 'tree:r', costUsd: 0.0005 }] }],
      'the budget of $0.00050 for the tree of run r is used up: $0.00 spent, $0.00050 left, and the next call may take $0.01',
    ],
  ];
  test.each(refusals)('%s', (_name, steps, message) => {
    expect(granted(play(steps)).at(-1)).toBe(message);
  });

  test('and the run keeps the slice it has', () => {
    const story = play([{ caps }, { caps, lease: 2, wanted: cents(9) }]);
    expect(dollars(story)).toEqual({ [day.key]: '0 + 0.01' });
    expect(story.results[1]).toMatchObject({ status: 'refused', cap: day.key, left: { costUsd: 0.05, tokens: 0 } });
  });

  test('a run judged by its own caps, while another with higher ones goes on', () => {
    const steps: Step[] = [...spent, { run: 'b', caps, wanted: cents(2) }, { run: 'c', wanted: cents(2) }];
    expect(
      play(steps)
        .results.slice(2)
        .map((result) => result?.status),
    ).toEqual(['refused', 'granted']);
  });

  test('a new day begins with a whole budget, for a run that was refused the day before too', () => {
    const story = play([
      ...spent,
      { caps, run: 'b', wanted: cents(2) },
      { caps, run: 'b', lease: 2, now: NOON + DAY_MS, wanted: cents(2) },
    ]);
    expect(granted(story).at(-1)).toBe(0.02);
  });
});

describe('lease() tops up', () => {
  const caps = [{ ...day, costUsd: 0.01 }];
  const topUp = { id: 'a.1', cap: day.key, by: 'ann', ...cents(10) };

  test('before it judges, and for everybody', () => {
    const story = play([
      { caps, wanted: cents(5), topUp },
      { caps, run: 'b', wanted: cents(5) },
    ]);
    expect(granted(story)).toEqual([0.05, 0.05]);
  });

  test('once for one approval, even in another lease', () => {
    const story = play([
      { caps, wanted: cents(5), topUp },
      { caps, lease: 2, wanted: cents(12), topUp },
    ]);
    expect(viewOf(story.ledger).counters[0]?.toppedUp).toEqual(cents(10));
    expect(story.results[1]?.status).toBe('refused');
  });
});

describe('the ledger stays small', () => {
  test('past days go a day after they were last asked, runs a day after they handed all back', () => {
    const { ledger } = play([{ isLast: true }, { run: 'b', caps: [{ key: 'tree:b', costUsd: 1 }] }]);
    const later = play([{ run: 'c', now: NOON + 2 * DAY_MS }], ledger).ledger;
    expect(Object.keys(later.counters)).toEqual(['tree:b', 'day:2026-11-23']);
    expect(Object.keys(later.holders)).toEqual(['b', 'c']);
  });

  test('beyond its sizes the longest idle runs and trees go, and counters of today stay', () => {
    const trees = Array.from({ length: HOLDERS_MAX + 500 }, (_, number): Step => ({
      run: `run-${number}`,
      now: NOON + number,
      caps: [day, { key: `tree:run-${number}`, costUsd: 1 }],
    }));
    const { ledger } = play(trees);
    expect(Object.keys(ledger.counters).length).toBeLessThanOrEqual(COUNTERS_MAX + 1);
    expect(Object.keys(ledger.holders).length).toBeLessThanOrEqual(HOLDERS_MAX);
    expect(Object.hasOwn(ledger.counters, day.key)).toBe(true);
    expect(Object.hasOwn(ledger.counters, `tree:run-${HOLDERS_MAX + 499}`)).toBe(true);
    // What is carried from one history to the next fits into one payload even uncompressed.
    expect(JSON.stringify(ledger).length).toBeLessThan(2 * 1_024 * 1_024);
  });

  test('a tree that had to go is known again by what its run spent, and its cap holds', () => {
    const tree = (number: number): readonly Cap[] => [{ key: `tree:run-${number}`, costUsd: 0.5 }];
    const others = Array.from({ length: COUNTERS_MAX }, (_, number): Step => ({
      run: `run-${number + 1}`,
      now: NOON + number + 2,
      caps: tree(number + 1),
    }));
    const long = { run: 'run-0', caps: tree(0), wanted: cents(10) };
    const { ledger } = play([long, { ...long, lease: 2, spent: cents(35), now: NOON + 1 }, ...others]);
    expect(Object.hasOwn(ledger.counters, 'tree:run-0')).toBe(false);
    const later = play([{ ...long, lease: 3, spent: cents(45), now: NOON + COUNTERS_MAX + 2 }], ledger);
    expect(granted(later)).toEqual([
      'the budget of $0.50 for the tree of run run-0 is used up: $0.45 spent, $0.05 left, and the next call may take $0.10',
    ]);
  });

  test('a new budget is refused where every place is taken by one of today', () => {
    const agents = Array.from({ length: COUNTERS_MAX }, (_, number): Step => ({
      caps: [{ key: `agent:${number}:2026-11-21`, costUsd: 1 }],
      lease: number + 1,
    }));
    const story = play([...agents, { run: 'b' }]);
    expect(granted(story).at(-1)).toBe('the ledger keeps 1000 budgets, and all of them are in use');
  });

  test.each(['constructor', '__proto__', 'toString'])('a key named "%s" is a key as any other', (key) => {
    const story = play([
      { run: key, caps: [{ key, costUsd: 1 }] },
      { run: key, lease: 2, caps: [{ key, costUsd: 1 }], spent: cents(1) },
    ]);
    expect(story.results.map((result) => result?.status)).toEqual(['granted', 'granted']);
    expect(viewOf(story.ledger).counters).toMatchObject([{ key, spent: { costUsd: 0.01 } }]);
  });
});
