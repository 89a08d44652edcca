import { defineQuery, proxyActivities, setHandler } from '@temporalio/workflow';
import type { Activities, LeaseInput, LeaseResult } from '../../src/contract/activities.ts';

export { budgetLedger } from '../../src/workflows/budget-ledger.ts';

/** The least of a run that leases: it answers for its spec, and asks in the order of `inputs`. */
export async function leasingRun(budget: unknown, inputs: readonly LeaseInput[]): Promise<readonly LeaseResult[]> {
  const spec = { runId: 'leasing', ...(budget === null ? {} : { budget }) };
  setHandler(defineQuery('transcript'), () => ({ from: 0, messages: [], total: 0, spec }));
  const { leaseBudget } = proxyActivities<Activities>({ startToCloseTimeout: 30_000 });
  const results: LeaseResult[] = [];
  // In order, as a run does.
  for (const input of inputs) results.push(await leaseBudget(input));
  return results;
}
