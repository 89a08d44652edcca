import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import { listRuns } from './listing.ts';
import { describeRun } from './reading.ts';

const { TaskQueueType } = proto.temporal.api.enums.v1;

/** A run that cannot move: its workflow task fails again and again. */
export interface StuckRun {
  readonly runId: string;
  readonly attempts: number;
  readonly error: string;
}

/** A queue with open runs that no worker polls. */
export interface UnpolledQueue {
  readonly taskQueue: string;
  readonly runs: number;
}

export interface Health {
  readonly openRuns: number;
  readonly stuck: readonly StuckRun[];
  readonly unpolled: readonly UnpolledQueue[];
}

/** A task that failed this often does not get better by itself. */
const STUCK_ATTEMPTS = 3;

/** Runs that are looked at; enough for one host, bounded for a cluster. */
const RUNS_MAX = 200;

/** A worker's poll lasts a minute at most, so one that polls was seen within this time. Milliseconds. */
const POLL_AGE_MAX_MS = 70_000;

/** Looks for runs that cannot move and for queues that nobody serves. Temporal itself shows neither in its list. */
export async function checkHealth(client: Client): Promise<Health> {
  const runs = await listRuns(client, { limit: RUNS_MAX, filter: `ExecutionStatus = 'Running'` });
  const stuck = await Promise.all(runs.map(async ({ runId }) => await stuckRun(client, runId)));
  const queues = new Map<string, number>();
  for (const { taskQueue } of runs) queues.set(taskQueue, (queues.get(taskQueue) ?? 0) + 1);
  const unpolled = await Promise.all(
    [...queues].map(async ([taskQueue, count]) =>
      (await isPolled(client, taskQueue)) ? null : { taskQueue, runs: count },
    ),
  );
  return {
    openRuns: runs.length,
    stuck: stuck.filter((run) => run !== null),
    unpolled: unpolled.filter((queue) => queue !== null),
  };
}

async function stuckRun(client: Client, runId: string): Promise<StuckRun | null> {
  const described = await describeRun(client, runId);
  if ('kind' in described) return null;
  const attempts = described.raw.pendingWorkflowTask?.attempt ?? 0;
  if (attempts < STUCK_ATTEMPTS) return null;
  return { runId, attempts, error: await lastTaskError(client, runId) };
}

async function lastTaskError(client: Client, runId: string): Promise<string> {
  const { namespace } = client.options;
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace,
    execution: { workflowId: runId },
    maximumPageSize: 20,
  });
  const failed = history?.events?.find((event) => event.workflowTaskFailedEventAttributes != null);
  if (failed !== undefined) return failed.workflowTaskFailedEventAttributes?.failure?.message ?? 'unknown';
  const timedOut = history?.events?.some((event) => event.workflowTaskTimedOutEventAttributes != null) === true;
  return timedOut ? 'its workflow task times out' : 'unknown';
}

/** Whether any worker has asked this queue for workflow tasks lately. */
export async function isPolled(client: Client, taskQueue: string): Promise<boolean> {
  const { namespace } = client.options;
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
  });
  const newest = Math.max(
    0,
    ...(pollers ?? []).map(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1_000),
  );
  return Date.now() - newest < POLL_AGE_MAX_MS;
}
