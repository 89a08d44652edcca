import { randomBytes } from 'node:crypto';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openLedgerDesk } from '../../src/activities/ledger-desk.ts';
import type { Cap, LedgerAnswer, LedgerView } from '../../src/contract/budget.ts';
import { LEDGER } from '../../src/contract/names.ts';
import { startWorker } from '../../src/worker.ts';
import { openHouse, replay, type House } from '../support/house.ts';
import { spendAsRun, type LeasedRun, type LeasingRun } from '../support/leasing-run.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(async () => {
  await house.close();
});

const newLedger = (): string => `ledger-${randomBytes(4).toString('hex')}`;
const SMALL: Cap = { key: 'tree:shared', costUsd: 1 };

async function view(ledger: string): Promise<LedgerView> {
  return await house.client.workflow.getHandle(ledger).query<LedgerView>(LEDGER.query);
}

/** A run whose ten calls take a cent each. */
function runOf(ledger: string, changes: Partial<LeasingRun> = {}): LeasingRun {
  const estimate = { costUsd: 0.01, tokens: 1_000 };
  return {
    place: { client: house.client, ledger, taskQueue: house.taskQueue },
    desk: openLedgerDesk(),
    run: 'run',
    caps: [SMALL],
    calls: 10,
    estimate,
    takes: () => estimate,
    ...changes,
  };
}

async function runMany(
  ledger: string,
  count: number,
  changes: Partial<LeasingRun> = {},
): Promise<readonly LeasedRun[]> {
  const desk = openLedgerDesk();
  const names = Array.from({ length: count }, (_, number) => `run-${number}`);
  return await Promise.all(names.map(async (run) => await spendAsRun(runOf(ledger, { desk, run, ...changes }))));
}

const callsOf = (runs: readonly LeasedRun[]): number => runs.reduce((sum, { calls }) => sum + calls, 0);

test('200 concurrent runs that share one small cap spend what it allows and never more', async () => {
  const ledger = newLedger();
  const runs = await runMany(ledger, 200);
  const refused = runs.filter(({ purse }) => purse.refused !== null);
  expect(callsOf(runs)).toBeLessThanOrEqual(100);
  expect(refused.length).toBeGreaterThan(0);
  const { counters } = await view(ledger);
  expect(counters).toMatchObject([{ key: SMALL.key, leased: { costUsd: 0 }, spent: { costUsd: callsOf(runs) / 100 } }]);
  // What those had in hand who were slower is back, so the rest can be spent, to the last cent.
  const late = await spendAsRun(runOf(ledger, { run: 'late', calls: 200 }));
  expect(callsOf([...runs, late])).toBe(100);
  expect(late.purse.refused?.message).toMatch(/^the budget of \$1\.00 .* is used up: \$1\.00 spent, \$0\.00 left/u);
  await replay(house.client, ledger);
});

test('calls that take more than they were thought to overspend by at most one call a run', async () => {
  const ledger = newLedger();
  const takes = (): { costUsd: number; tokens: number } => ({ costUsd: 0.03, tokens: 1_000 });
  const runs = await runMany(ledger, 20, { takes, calls: 100 });
  const spent = runs.reduce((sum, { purse }) => sum + purse.spent.costUsd, 0);
  expect(spent).toBeGreaterThanOrEqual(1 - 0.01);
  expect(spent).toBeLessThanOrEqual(1 + 20 * 0.02 + 1e-9);
  expect((await view(ledger)).counters[0]?.spent.costUsd).toBeCloseTo(spent, 6);
});

test(
  'counters survive when the history is full, and no lease is lost or counted twice meanwhile',
  { timeout: 300_000 },
  async () => {
    const ledger = newLedger();
    // Each asks for itself, as many workers would, so that the history fills.
    const caps = [{ key: 'tree:wide', costUsd: 1_000 }];
    const ask = async (run: string): Promise<LeasedRun> =>
      await spendAsRun(runOf(ledger, { run, caps, calls: 400, asksEachTime: true }));
    const runs = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map(ask));
    expect(callsOf(runs)).toBe(2_400);
    const { counters } = await view(ledger);
    expect(counters).toMatchObject([{ leased: { costUsd: 0, tokens: 0 }, spent: { costUsd: 24, tokens: 2_400_000 } }]);
    let histories = 0;
    for await (const _ of house.client.workflow.list({ query: `WorkflowId = '${ledger}'` })) histories += 1;
    expect(histories).toBeGreaterThan(1);
    await replay(house.client, ledger);
  },
);

test('a ledger whose worker was lost goes on with the next one, and hears a repeated lease as one', async () => {
  const other = await openHouse();
  const place = { client: other.client, ledger: newLedger(), taskQueue: other.taskQueue };
  const run = runOf(place.ledger, { place, calls: 3 });
  await spendAsRun(run);
  const request = {
    run: 'twice',
    execution: 'twice-1',
    caps: [SMALL],
    input: { lease: 1, wanted: run.estimate, spent: { costUsd: 0, tokens: 0 } },
  };
  const first = await run.desk(place, request);
  await other.worker.shutdown();
  const next = await startWorker(other.workerOptions);
  expect(await openLedgerDesk()(place, request)).toEqual(first);
  const { counters } = await view(place.ledger);
  expect(counters).toMatchObject([{ spent: { costUsd: 0.03 }, leased: { costUsd: 0.01 } }]);
  await next.shutdown();
  await other.close();
});

test('what cannot be read is refused before it is in history, and one bad request spoils no other', async () => {
  const ledger = newLedger();
  const run = runOf(ledger, { calls: 1 });
  await spendAsRun(run);
  const handle = house.client.workflow.getHandle(ledger);
  await expect(handle.executeUpdate(LEDGER.update, { args: ['give me money'] })).rejects.toThrow(
    WorkflowUpdateFailedError,
  );
  const good = {
    run: 'b',
    execution: 'b-1',
    caps: [SMALL],
    input: { lease: 1, wanted: run.estimate, spent: run.estimate },
  };
  const answers = await handle.executeUpdate<readonly LedgerAnswer[], [unknown]>(LEDGER.update, {
    args: [[{ run: 'a' }, good]],
  });
  expect(answers.map(({ status }) => status)).toEqual(['unanswerable', 'granted']);
  const late = { ...good, input: { ...good.input, lease: 0 } };
  await expect(run.desk(run.place, late)).rejects.toThrow(/^Cannot read the request: expected \{"run"/u);
});
