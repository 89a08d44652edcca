import { ApplicationFailure, CancelledFailure, ContinueAsNew, TemporalFailure } from '@temporalio/workflow';
import { FAILURES } from '../contract/names.ts';
import type { RunResult } from '../contract/run.ts';

/**
 * Ends the workflow so that the Temporal list shows the outcome for what it is: completed and stopped runs complete
 * with their result, failed ones fail, cancelled ones are cancelled. The memo has the result in every case.
 */
export function endWith(result: RunResult): RunResult {
  const { outcome } = result;
  if (outcome.status === 'failed') throw ApplicationFailure.nonRetryable(outcome.message, FAILURES.runFailed, result);
  if (outcome.status === 'cancelled') throw new CancelledFailure(`Cancelled by ${outcome.by}`, [result]);
  return result;
}

/**
 * A plain error in workflow code would leave the run Running for ever, failing its task again and again. A bug of
 * ours ends the run as failed instead, where people see it.
 */
export async function orFailRun(body: () => Promise<RunResult>): Promise<RunResult> {
  try {
    return await body();
  } catch (error) {
    if (error instanceof TemporalFailure || error instanceof ContinueAsNew) throw error;
    throw asFailure(error);
  }
}

/** Makes a handler that a bug of ours cannot turn into a run that is held for ever. */
export function orFail<Arguments extends unknown[], Result>(
  handler: (...given: Arguments) => Result,
): (...given: Arguments) => Result {
  return (...given) => {
    try {
      return handler(...given);
    } catch (error) {
      throw error instanceof TemporalFailure ? error : asFailure(error);
    }
  };
}

function asFailure(error: unknown): ApplicationFailure {
  return ApplicationFailure.create({
    message: `Nightshift has a bug: ${error instanceof Error ? error.message : String(error)}`,
    type: 'NightshiftBug',
    nonRetryable: true,
    ...(error instanceof Error && { cause: error }),
  });
}
