import { ActivityFailure, CancellationScope, isCancellation, proxyActivities } from '@temporalio/workflow';
import type { Activities, LeaseInput } from '../contract/activities.ts';
import type { Observation } from '../core/apply.ts';
import type { Run } from '../core/run.ts';

/** One attempt; the ledger answers at once or is not there. */
const ATTEMPT_MS = 15_000;

/** At the end of a run nobody waits long for a ledger that is not there: what was leased then counts as spent. */
const LAST_MS = 60_000;

/** Asks the ledger for a slice of the shared budgets, or gives back what is left, also when the run was cancelled. */
export async function lease(run: Run, input: LeaseInput): Promise<readonly Observation[]> {
  const isLast = input.isLast === true;
  const { leaseBudget } = proxyActivities<Activities>({
    startToCloseTimeout: ATTEMPT_MS,
    scheduleToCloseTimeout: isLast ? LAST_MS : run.spec.timeouts.thinkingMs,
    retry: { initialInterval: 500, backoffCoefficient: 2, maximumInterval: 30_000 },
  });
  const summary = isLast ? 'gives back what was not spent' : `$${input.wanted.costUsd.toFixed(4)} or more`;
  const ask = async (): Promise<readonly Observation[]> => {
    const result = await leaseBudget.executeWithOptions({ summary }, [input]);
    return [{ kind: 'leased', result, isLast }];
  };
  try {
    return await (isLast ? CancellationScope.nonCancellable(ask) : ask());
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    const message = `the budget ledger cannot be reached: ${error.cause?.message ?? 'no answer'}`;
    if (isLast) return [{ kind: 'leased', result: { status: 'granted', granted: { costUsd: 0, tokens: 0 } }, isLast }];
    return [{ kind: 'parked', reason: 'ledger_unreachable', message }];
  }
}
