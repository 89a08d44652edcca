import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import { startRun } from '../src/client.ts';
import { benchSpec } from './bench-spec.ts';
import { startChild, type Child } from './child-process.ts';
import { bundlePath, say, type Setting } from './setting.ts';

const { PENDING_ACTIVITY_STATE_STARTED } = proto.temporal.api.enums.v1.PendingActivityState;

const KILLS = 20;

/** What each turn of the measured run does: a command of this many seconds, so that a kill always meets a step. */
const STEP_SECONDS = 0.4;

/**
 * Kills the worker in the middle of a step and starts another at once, twenty times over one run. Seconds from the
 * kill to the next step completed, as the server stamped it; all settings are the defaults.
 */
export async function measureRecovery({ target, client, folder, workspace }: Setting): Promise<readonly number[]> {
  const taskQueue = `recovery-${randomUUID()}`;
  const options = {
    target,
    taskQueue,
    dataFolder: folder,
    bundlePath,
    turns: 100_000,
    tool: 'bash',
    input: { command: `sleep ${STEP_SECONDS}` },
  };
  const runId = `recovery-${randomUUID()}`;
  const seconds: number[] = [];
  let worker = startChild(options);
  await worker.ready;
  await startRun(client, benchSpec(runId, workspace), taskQueue);
  for (let kill = 1; kill <= KILLS; kill += 1) {
    await stepInFlight(client, runId, worker);
    await sleep(Math.random() * STEP_SECONDS * 500);
    const killedAt = Date.now();
    worker.process.kill('SIGKILL');
    worker = startChild(options);
    const done = await nextCompletion(client, runId, killedAt);
    seconds.push((done - killedAt) / 1_000);
    say(`  kill ${kill} of ${KILLS}: ${seconds.at(-1)?.toFixed(2)} s`);
    await worker.ready;
  }
  await client.workflow.getHandle(runId).terminate('measured');
  await worker.end('SIGKILL');
  return seconds;
}

async function stepInFlight(client: Client, runId: string, { pid }: Child): Promise<void> {
  for (;;) {
    const { raw } = await client.workflow.getHandle(runId).describe();
    const running = raw.pendingActivities?.some(
      ({ state, lastWorkerIdentity }) =>
        state === PENDING_ACTIVITY_STATE_STARTED && lastWorkerIdentity?.includes(`/${pid}/`),
    );
    if (running === true) return;
    await sleep(5);
  }
}

/** When the server recorded the first step that completed after a moment, in milliseconds since 1970. */
async function nextCompletion(client: Client, runId: string, after: number): Promise<number> {
  const { namespace } = client.options;
  for (;;) {
    const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
      namespace,
      execution: { workflowId: runId },
      maximumPageSize: 12,
    });
    const times = (history?.events ?? [])
      .filter((event) => event.activityTaskCompletedEventAttributes != null)
      .map(({ eventTime }) => Number(eventTime?.seconds ?? 0) * 1_000 + (eventTime?.nanos ?? 0) / 1e6)
      .filter((time) => time > after);
    if (times.length > 0) return Math.min(...times);
    await sleep(10);
  }
}
