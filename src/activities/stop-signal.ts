import { Context } from '@temporalio/activity';
import proto from '@temporalio/proto';

/** How often a step that the server has given up asks whether its result is still wanted. Milliseconds. */
const WANTED_CHECK_MS = 2_000;

const { PENDING_ACTIVITY_STATE_CANCEL_REQUESTED } = proto.temporal.api.enums.v1.PendingActivityState;

/**
 * The signal by which the work of this activity is stopped: a cancel of the run, or a worker that shuts down.
 *
 * A heartbeat that came too late is no reason to stop. The server has given this attempt up and will make another,
 * but the work is paid for or half done, and the next attempt finds what it stores. So it goes on as long as the
 * run still wants this step.
 */
export function stopSignal(): AbortSignal {
  const context = Context.current();
  const { cancellationSignal } = context;
  const stop = new AbortController();
  const react = async (): Promise<void> => {
    while (!isMeant(context) && (await isWanted(context))) await pause();
    stop.abort(cancellationSignal.reason);
  };
  if (cancellationSignal.aborted) stop.abort(cancellationSignal.reason);
  else cancellationSignal.addEventListener('abort', () => void react(), { once: true });
  return stop.signal;
}

function isMeant({ cancellationDetails: details }: Context): boolean {
  return details?.cancelRequested === true || details?.workerShutdown === true || details?.paused === true;
}

/** Whether the run is open and still waits for this step. When the server cannot be asked, the work goes on. */
async function isWanted({ client, info }: Context): Promise<boolean> {
  const { workflowId = '', runId } = info.workflowExecution ?? {};
  try {
    const { status, raw } = await client.workflow.getHandle(workflowId, runId).describe();
    const pending = raw.pendingActivities?.find(({ activityId }) => activityId === info.activityId);
    return (
      status.name === 'RUNNING' && pending !== undefined && pending.state !== PENDING_ACTIVITY_STATE_CANCEL_REQUESTED
    );
  } catch {
    return true;
  }
}

async function pause(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, WANTED_CHECK_MS).unref());
}
