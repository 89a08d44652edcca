import { randomUUID } from 'node:crypto';
import { openLedgerDesk, type LedgerDesk } from '../src/activities/ledger-desk.ts';
import type { LedgerRequest, LedgerView } from '../src/contract/budget.ts';
import { LEDGER } from '../src/contract/names.ts';
import { answered, covers, emptyPurse, estimateCall, nextLease, spend } from '../src/core/budget/purse.ts';
import { startBenchWorker } from './bench-worker.ts';
import { instantModel, modelsOf } from './instant-model.ts';
import { median, say, type Setting } from './setting.ts';

const RUNS = 200;
const RESERVATIONS = 50;
const REPETITIONS = 3;

const DAY = new Date().toISOString().slice(0, 10);
const CAPS = [
  { key: `day:${DAY}`, costUsd: 10_000, tokens: 1e12 },
  { key: `agent:bench:${DAY}`, costUsd: 8_000 },
];

/** A prompt of 20,000 tokens and a reply of 2,000, at $3 and $15 for a million. */
const ESTIMATE = estimateCall({
  promptTokens: 20_000,
  replyTokens: 2_000,
  price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
});

/**
 * Reservations a second, when 200 runs that start at once each reserve and settle 50 model calls against one ledger.
 * Most are made from a slice the run has; the rest lease through the real workflow, as one worker's activities do.
 */
export async function measureBudget(setting: Setting): Promise<Readonly<Record<string, number>>> {
  const { client } = setting;
  const models = modelsOf(instantModel(1, 'none'));
  const { taskQueue, worker } = await startBenchWorker(setting, { models });
  const perSecond: number[] = [];
  let leases = 0;
  let updates = 0;
  for (let repetition = 1; repetition <= REPETITIONS; repetition += 1) {
    const ledger = `ledger-${randomUUID()}`;
    const desk = openLedgerDesk();
    const ask: Ask = async (request) => await desk({ client, ledger, taskQueue }, request);
    const startedAt = performance.now();
    const counts = await Promise.all(Array.from({ length: RUNS }, async (_, number) => await spendAll(number, ask)));
    perSecond.push((RUNS * RESERVATIONS) / ((performance.now() - startedAt) / 1_000));
    leases = counts.reduce((sum, count) => sum + count, 0);
    updates = await updatesOf(setting, ledger);
    await check(setting, ledger);
    say(`  ${RUNS} runs, ${repetition} of ${REPETITIONS}: ${perSecond.at(-1)?.toFixed(0)} reservations a second`);
  }
  await worker.shutdown();
  return {
    budgetReservationsPerSecond: median(perSecond),
    budgetReservations: RUNS * RESERVATIONS,
    budgetLeases: leases,
    budgetLedgerUpdates: updates,
  };
}

type Ask = (request: LedgerRequest) => ReturnType<LedgerDesk>;

/** Resolves with how often the run had to lease. */
async function spendAll(number: number, ask: Ask): Promise<number> {
  const run = { run: `run-${number}`, execution: `execution-${number}`, caps: CAPS };
  let purse = emptyPurse;
  for (let made = 0; made < RESERVATIONS; made += 1) {
    if (!covers(purse, ESTIMATE)) purse = answered(purse, await ask({ ...run, input: nextLease(purse, ESTIMATE) }));
    if (purse.refused !== null) throw new Error(`Cannot measure budgets: ${purse.refused.message}`);
    purse = spend(purse, ESTIMATE);
  }
  await ask({ ...run, input: nextLease(purse, { costUsd: 0, tokens: 0 }, { isLast: true }) });
  return purse.leases + 1;
}

async function updatesOf({ client }: Setting, ledger: string): Promise<number> {
  let updates = 0;
  for await (const { runId } of client.workflow.list({ query: `WorkflowId = '${ledger}'` })) {
    const { events } = await client.workflow.getHandle(ledger, runId).fetchHistory();
    updates += (events ?? []).filter((event) => event.workflowExecutionUpdateCompletedEventAttributes).length;
  }
  return updates;
}

/** A figure counts only when every reservation was counted once. */
async function check({ client }: Setting, ledger: string): Promise<void> {
  const view = await client.workflow.getHandle(ledger).query<LedgerView>(LEDGER.query);
  const expected = ESTIMATE.tokens * RUNS * RESERVATIONS;
  for (const { key, spent, leased } of view.counters) {
    if (spent.tokens !== expected || leased.tokens !== 0)
      throw new Error(`Cannot measure budgets: "${key}" holds ${spent.tokens} tokens instead of ${expected}`);
  }
}
