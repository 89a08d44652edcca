import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import { startRun } from '../src/client.ts';
import { benchSpec } from './bench-spec.ts';
import { startChild, type Child } from './child-process.ts';
import { bundlePath, say, type Setting } from './setting.ts';

const { PENDING_ACTIVITY_STATE_STARTED } = proto.temporal.api.enums.v1.PendingActivityState;

/** What each turn of the measured run does: a command of this many seconds. */
const STEP_SECONDS = 0.5;

/**
 * Kills the worker and starts another at once, again and again over one run. Seconds from each kill to the next step
 * completed, as the server stamped it; all settings are the defaults. `mid-step` kills while the command runs;
 * `any moment` may also meet a workflow task, which the server gives to another worker only after its timeout.
 */
export async function measureRecovery(
  { target, client, folder, workspace }: Setting,
  { kills, when }: { readonly kills: number; readonly when: 'mid-step' | 'any moment' },
): Promise<readonly number[]> {
  const taskQueue = `recovery-${randomUUID()}`;
  const step = { turns: 100_000, tool: 'bash', input: { command: `sleep ${STEP_SECONDS}` } };
  const options = { target, taskQueue, dataFolder: folder, bundlePath, ...step };
  const runId = `recovery-${randomUUID()}`;
  const seconds: number[] = [];
  let worker = startChild(options);
  await worker.ready;
  await startRun(client, benchSpec(runId, workspace), taskQueue);
  for (let kill = 1; kill <= kills; kill += 1) {
    await commandBegins(client, runId, worker);
    await sleep(Math.random() * STEP_SECONDS * (when === 'mid-step' ? 600 : 2_500));
    const killedAt = Date.now();
    worker.process.kill('SIGKILL');
    worker = startChild(options);
    const done = await nextCompletion(client, runId, killedAt);
    seconds.push((done - killedAt) / 1_000);
    say(`  ${when}, kill ${kill} of ${kills}: ${seconds.at(-1)?.toFixed(2)} s`);
    await worker.ready;
  }
  await client.workflow.getHandle(runId).terminate('measured');
  await worker.end('SIGKILL');
  return seconds;
}

/** Resolves when this worker has just begun a command, so that a kill soon after meets it. */
async function commandBegins(client: Client, runId: string, { pid }: Child): Promise<void> {
  for (;;) {
    const { raw } = await client.workflow.getHandle(runId).describe();
    const running = raw.pendingActivities?.find(
      ({ state, activityType, lastWorkerIdentity }) =>
        state === PENDING_ACTIVITY_STATE_STARTED &&
        activityType?.name === 'bash' &&
        lastWorkerIdentity?.includes(`/${pid}/`),
    );
    const { seconds = 0, nanos = 0 } = running?.lastStartedTime ?? {};
    if (running !== undefined && Date.now() - (Number(seconds) * 1_000 + (nanos ?? 0) / 1e6) < 100) return;
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
