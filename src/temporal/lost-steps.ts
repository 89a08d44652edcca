import type { Client } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import type proto from '@temporalio/proto';
import { FAILURES } from '../contract/names.ts';
import { findDeadWorkers, type DeadWorker, type StepInFlight } from './in-flight.ts';

/** Runs whose sticky queue is reset after a worker died; beyond this the server's own timeout does it. */
const RESET_RUNS_MAX = 500;

export interface Recovered {
  readonly workers: number;
  readonly steps: number;
}

/**
 * Tells the server which steps died with earlier incarnations of the workers of this host, so that they are retried
 * now instead of after a heartbeat timeout, and lets the runs they held move to a living worker at once instead of
 * after the ten seconds of a sticky queue. A step that another worker has taken over meanwhile is left alone.
 */
export async function recoverLostSteps(client: Client, workersFolder: string, taskQueue: string): Promise<Recovered> {
  const dead = await findDeadWorkers(workersFolder);
  const counts = await Promise.all(dead.map(async (worker) => await recoverWorker(client, worker)));
  if (dead.length > 0) await releaseRuns(client, taskQueue);
  for (const worker of dead) worker.forget();
  return { workers: dead.length, steps: counts.reduce((sum, count) => sum + count, 0) };
}

async function recoverWorker(client: Client, worker: DeadWorker): Promise<number> {
  const told = await Promise.all(worker.steps.map(async (step) => await failStep(client, worker.id, step)));
  return told.filter(Boolean).length;
}

async function failStep(client: Client, workerId: string, step: StepInFlight): Promise<boolean> {
  const { namespace } = client.options;
  const { workflowId, runId, activityId } = step;
  try {
    const execution = { workflowId, runId };
    await client.workflowService.resetStickyTaskQueue({ namespace, execution });
    const { pendingActivities } = await client.workflowService.describeWorkflowExecution({ namespace, execution });
    const pending = pendingActivities?.find((activity) => activity.activityId === activityId);
    if (pending?.lastWorkerIdentity !== workerId) return false;
    await client.workflowService.respondActivityTaskFailedById({
      namespace,
      workflowId,
      runId,
      activityId,
      identity: workerId,
      failure: workerDied(pending.heartbeatDetails),
    });
    return true;
  } catch {
    // The run ended, or somebody else was faster. The server's timeouts remain.
    return false;
  }
}

/**
 * A retryable failure; the step's retry policy alone would wait half a second or more before the next attempt. It carries
 * the last heartbeat as it came, because a step that is being cancelled has no next attempt that would find it.
 */
function workerDied(heartbeat: Heartbeat): proto.temporal.api.failure.v1.IFailure {
  const retry = { nonRetryable: false, nextRetryDelay: msToTs(1) };
  return {
    message: 'The worker that ran this step died',
    source: 'Nightshift',
    applicationFailureInfo: { type: FAILURES.workerDied, ...retry, details: heartbeat ?? null },
  };
}

type Heartbeat = proto.temporal.api.workflow.v1.IPendingActivityInfo['heartbeatDetails'];

async function releaseRuns(client: Client, taskQueue: string): Promise<void> {
  const { namespace } = client.options;
  const query = `TaskQueue = '${taskQueue.replaceAll("'", '')}' AND ExecutionStatus = 'Running'`;
  const { executions } = await client.workflowService.listWorkflowExecutions({
    namespace,
    query,
    pageSize: RESET_RUNS_MAX,
  });
  const resets = (executions ?? []).map(async ({ execution }) => {
    await client.workflowService.resetStickyTaskQueue({ namespace, execution: execution ?? {} });
  });
  await Promise.allSettled(resets);
}
