import {
  ActivityFailure,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow';
import type { RunToolInput, RunToolResult } from '../contract/activities.ts';
import type { ToolCall, ToolCallResult } from '../contract/tool-calls.ts';
import type { Observation } from '../core/apply.ts';
import { oneLine } from '../core/sizes.ts';
import type { Run } from '../core/run.ts';
import { notRun, told } from '../core/told.ts';

type ToolActivity = (input: RunToolInput) => Promise<RunToolResult>;

/** What a tool may take beyond its own time limit, to kill what it started and report. Milliseconds. */
const REPORT_MS = 15_000;

/** Runs one tool call as the activity that bears the tool's name. */
export async function callTool(run: Run, call: ToolCall): Promise<readonly Observation[]> {
  const callId = call.id;
  try {
    const result = await toolActivity(run, call)(inputFor(run, call));
    return [result.status === 'asks' ? { ...result, kind: 'asked', callId } : { kind: 'result', callId, result }];
  } catch (error) {
    if (isCancellation(error)) return [{ kind: 'result', callId, result: cancelledResult(call) }];
    if (!(error instanceof ActivityFailure)) throw error;
    return [{ kind: 'result', callId, result: failedResult(call, error) }];
  }
}

function inputFor(run: Run, { id, index, digest, grant, shown, unconfined, attempt, answers }: ToolCall): RunToolInput {
  return {
    turn: run.turn,
    index,
    callId: id,
    digest,
    messages: run.messages.length,
    compactions: run.compactions,
    chain: workflowInfo().firstExecutionRunId,
    ...(attempt !== undefined && { attempt }),
    ...(grant !== undefined && { grant }),
    ...(shown !== undefined && { shown }),
    ...(unconfined !== undefined && { unconfined }),
    ...(answers !== undefined && { answers }),
  };
}

function toolActivity(run: Run, call: ToolCall): ToolActivity {
  const definition = run.spec.tools.find(({ name }) => name === call.tool);
  const startToCloseTimeout = (definition?.timeoutMs ?? 60_000) + REPORT_MS;
  const summary = oneLine(`turn ${run.turn} · ${call.summary}`, 190);
  if (definition?.local === true) {
    const local = proxyLocalActivities<Record<string, ToolActivity>>({
      startToCloseTimeout,
      retry: { maximumAttempts: 3 },
    });
    return (input) => activityOf(local, call.tool).executeWithOptions({ summary }, [input]);
  }
  const { heartbeatMs, actingMs } = run.spec.timeouts;
  const remote = proxyActivities<Record<string, ToolActivity>>({
    startToCloseTimeout,
    scheduleToCloseTimeout: Math.max(actingMs, startToCloseTimeout),
    heartbeatTimeout: heartbeatMs,
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    retry: { initialInterval: 500, backoffCoefficient: 2, maximumInterval: 10_000 },
  });
  return (input) => activityOf(remote, call.tool).executeWithOptions({ summary }, [input]);
}

function activityOf<T>(proxy: Readonly<Record<string, T>>, tool: string): T {
  // The proxy makes an activity of any name, so there is always one.
  return proxy[tool] as T;
}

/** A read that was cancelled did nothing; of anything else only the worker could have told. */
function cancelledResult({ effect }: ToolCall): ToolCallResult {
  if (effect === 'read') return notRun('cancelled', 'cancelled', told.cancelled);
  return notRun('unknown', 'outcome_unknown', told.unknown('it was cancelled while it ran'));
}

function failedResult({ effect }: ToolCall, { cause }: ActivityFailure): ToolCallResult {
  const timedOut = cause instanceof TimeoutFailure;
  const why = timedOut ? 'its worker did not report in time' : (cause?.message ?? 'it failed');
  if (effect === 'read') return notRun('error', timedOut ? 'timeout' : 'unhandled_exception', why);
  return notRun('unknown', 'outcome_unknown', told.unknown(why));
}
