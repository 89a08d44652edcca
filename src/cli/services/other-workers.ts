import { hostname } from 'node:os';
import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';

const { TaskQueueType } = proto.temporal.api.enums.v1;

/** A worker's poll lasts a minute at most, so one that polls was seen within this time. Milliseconds. */
const POLL_AGE_MAX_MS = 90_000;

/**
 * Whether a living worker serves this queue. The server remembers dead ones for a while; those of this host are told
 * by their process, which is part of a worker's name (`host/pid/…`).
 */
export async function isServed(client: Client, taskQueue: string): Promise<boolean> {
  const { namespace } = client.options;
  const answer = await client.workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
  });
  return (answer.pollers ?? []).some(({ identity, lastAccessTime }) => {
    const age = Date.now() - Number(lastAccessTime?.seconds ?? 0) * 1_000;
    return age < POLL_AGE_MAX_MS && mayLive(identity ?? '');
  });
}

function mayLive(identity: string): boolean {
  const [host, pid] = identity.split('/');
  if (host !== hostname() || !/^\d+$/u.test(pid ?? '')) return true;
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
