import {
  ActivityFailure,
  isCancellation,
  proxyActivities,
  TimeoutFailure,
  workflowInfo,
  type ActivityInterfaceFor,
} from '@temporalio/workflow';
import type { Activities, HookInput, HookResult } from '../contract/activities.ts';
import type { Hook } from '../contract/terms.ts';
import { hookTurn } from '../core/hooks/hooks.ts';
import type { Run } from '../core/run.ts';
import { oneLine } from '../core/sizes.ts';

/** What a hook may take beyond its own time limit, to kill what it started and report. Milliseconds. */
const REPORT_MS = 15_000;

/** What a hook is about: the parts of its input that the run cannot tell by itself. */
export type HookMatter = Pick<HookInput, 'round' | 'callId' | 'about'>;

/** Runs one hook. Rejects only when the run is cancelled: whatever else goes wrong is the hook's failure, never the run's. */
export async function callHook(
  run: Pick<Run, 'spec' | 'turn' | 'messages' | 'compactions'>,
  hook: Hook,
  matter: HookMatter,
): Promise<HookResult> {
  const input: HookInput = {
    ...matter,
    hook: hook.name,
    turn: hookTurn(run, hook),
    messages: run.messages.length,
    compactions: run.compactions,
    chain: workflowInfo().firstExecutionRunId,
  };
  const summary = oneLine(`hook ${hook.name} · ${hook.on}`, 190);
  try {
    return await hookActivity(run, hook).executeWithOptions({ summary }, [input]);
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    return lost(error);
  }
}

/**
 * As patient as a tool call, so that an outage or a deploy is no failure. What another attempt may do is decided by the
 * hook's effect, where it runs: an unsafe one is not started again.
 */
function hookActivity({ spec }: Pick<Run, 'spec'>, { timeoutMs }: Hook): ActivityInterfaceFor<Activities>['runHook'] {
  const { heartbeatMs, actingMs } = spec.timeouts;
  const startToCloseTimeout = timeoutMs + REPORT_MS;
  const { runHook } = proxyActivities<Activities>({
    startToCloseTimeout,
    scheduleToCloseTimeout: Math.max(actingMs, startToCloseTimeout),
    heartbeatTimeout: heartbeatMs,
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    retry: { initialInterval: 500, backoffCoefficient: 2, maximumInterval: 10_000 },
  });
  return runHook;
}

function lost({ cause }: ActivityFailure): HookResult {
  const why = cause instanceof TimeoutFailure ? 'its worker did not report in time' : (cause?.message ?? 'it failed');
  return { status: 'failed', reason: why, context: '', durationMs: 0 };
}
