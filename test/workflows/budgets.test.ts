import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerApproval, cancelRun } from '../../src/client.ts';
import { readLedger } from '../../src/client/budget.ts';
import type { Approval } from '../../src/contract/approvals.ts';
import type { CounterView } from '../../src/contract/budget.ts';
import type { Scenario } from '../../src/models/offline/scenario.ts';
import { openHouse, replay, type House, type LiveRun, type SpecChanges } from '../support/house.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(async () => {
  await house.close();
});

/** A dollar for a thousand tokens, so that a few short turns are dear. */
const price = { input: 1_000, output: 1_000, cacheRead: 1_000, cacheWrite: 1_000 };

const look: Scenario = (seen) =>
  seen.turn < 12 ? { calls: [{ name: 'ls', input: { path: `./${'./'.repeat(seen.turn)}` } }] } : { text: 'done' };

interface Shared {
  readonly ledger: string;
  readonly changes: (more?: Partial<NonNullable<SpecChanges['budget']>>) => SpecChanges;
}

/** Runs that share one counter of a ledger of their own. */
function sharing(costUsd: number): Shared {
  const ledger = `ledger-${randomBytes(4).toString('hex')}`;
  const id = `priced-${ledger}`;
  const model = { id, maxTokens: 2_000, contextTokens: 200_000, offline: false, price, priceCeiling: price };
  const caps = [{ key: 'day:2026-11-21', costUsd }];
  const limits = { costUsd: 1_000_000 };
  return { ledger, changes: (more) => ({ model, limits, budget: { atCap: 'ask', ledger, caps, ...more } }) };
}

async function countersOf(ledger: string): Promise<readonly CounterView[]> {
  const reading = await readLedger(house.client, ledger);
  if (reading.kind !== 'live') throw new Error(`Cannot read "${ledger}": ${reading.kind}`);
  return reading.view.counters;
}

async function openQuestion(run: LiveRun): Promise<Approval> {
  const { approvals } = await run.until(({ state }) => state === 'awaiting_human');
  return approvals.find(({ status }) => status === 'open')!;
}

test('at the cap a run parks and asks; what a person adds lets it go on, and it never lost its place', async () => {
  const { ledger, changes } = sharing(12);
  const run = await house.start(look, changes());
  const question = await openQuestion(run);
  expect(question).toMatchObject({ about: 'budget', kind: 'choose', fallback: 'stop' });
  expect(question.title).toMatch(/budget of \$12\.00 for day .* Top up\?/u);
  const { totals } = await run.until(({ state }) => state === 'awaiting_human');
  expect(totals.usage.costUsd).toBeLessThanOrEqual(12);
  await answerApproval(house.client, run.runId, {
    id: question.id,
    decision: 'answer',
    choice: 'topup',
    text: '$200',
    by: 'ann',
  });
  const result = await run.result();
  expect(result).toMatchObject({ stopReason: 'answered', totals: { turns: 13, toolCalls: 12 } });
  expect((await run.events()).map(({ type }) => type)).toEqual(
    expect.arrayContaining(['budget.leased', 'budget.exhausted', 'budget.topped_up']),
  );
  const counters = await countersOf(ledger);
  expect(counters[0]).toMatchObject({ toppedUp: { costUsd: 200 } });
  expect(counters[0]?.spent.costUsd).toBeCloseTo(result.totals.usage.costUsd ?? 0, 6);
  expect(counters[0]?.leased.costUsd).toBe(0);
  await replay(house.client, run.runId);
});

test.each([
  ['a person says no', 'ask', 'stop'],
  ['the settings say stop', 'stop', null],
] as const)(
  'where %s the run stops with a reason of its own, and all it did is there',
  async (_name, atCap, choice) => {
    const run = await house.start(look, sharing(12).changes({ atCap }));
    if (choice !== null) {
      const { id } = await openQuestion(run);
      await answerApproval(house.client, run.runId, { id, decision: 'answer', choice, by: 'ann' });
    }
    const result = await run.result();
    expect(result.stopReason).toBe('budget');
    expect(result.totals.turns).toBeGreaterThan(0);
    expect(result.answer).toContain('tool calls');
  },
);

test('ten runs that share a cap never spend more than it, and each says why it stopped', async () => {
  const { ledger, changes } = sharing(60);
  const runs = await Promise.all(
    Array.from({ length: 10 }, async () => await house.start(look, changes({ atCap: 'stop' }))),
  );
  const results = await Promise.all(runs.map(async (run) => await run.result()));
  const spent = results.reduce((sum, { totals }) => sum + (totals.usage.costUsd ?? 0), 0);
  expect(spent).toBeLessThanOrEqual(60);
  expect(new Set(results.map(({ stopReason }) => stopReason))).toEqual(new Set(['budget']));
  const counters = await countersOf(ledger);
  expect(counters[0]?.spent.costUsd).toBeCloseTo(spent, 6);
});

test('a cancelled run gives back what it leased', async () => {
  const { ledger, changes } = sharing(1_000);
  const slow: Scenario = (seen) => ({ ...look(seen), pauseMs: 40 });
  const run = await house.start(slow, changes());
  await run.until(({ turn }) => turn >= 1);
  await cancelRun(house.client, run.runId);
  const result = await run.result();
  expect(result.stopReason).toBe('cancelled');
  const counters = await countersOf(ledger);
  expect(counters[0]?.leased.costUsd).toBe(0);
});
