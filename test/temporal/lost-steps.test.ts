import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import proto from '@temporalio/proto';
import { Worker } from '@temporalio/worker';
import { expect, inject, onTestFinished, test } from 'vitest';
import { cancelRun } from '../../src/client.ts';
import type { CallBeat } from '../../src/contract/activities.ts';
import type { Usage } from '../../src/contract/messages.ts';
import { steps } from '../../src/models/offline/scenario.ts';
import { connectWorker } from '../../src/temporal/connect-worker.ts';
import { dataConverter } from '../../src/temporal/data-converter.ts';
import { recoverLostSteps } from '../../src/temporal/lost-steps.ts';
import { openHouse, replay, type House } from '../support/house.ts';
import { eventually } from '../support/recorder.ts';

const { PENDING_ACTIVITY_STATE_CANCEL_REQUESTED } = proto.temporal.api.enums.v1.PendingActivityState;

const DEAD = 'dead-worker';
const used: Usage = { input: 1_000, output: 20, cacheRead: 0, cacheWrite: 0, costUsd: 0.5 };

/** Runs without anybody to do their steps, which the test takes by hand. */
async function openWorkflowsOnly(): Promise<House> {
  const house = await openHouse({ worker: false });
  const { target, taskQueue } = house.workerOptions;
  const connection = await connectWorker(target);
  const workflowBundle = { codePath: inject('workflowBundle') };
  const worker = await Worker.create({
    connection,
    namespace: target.namespace,
    taskQueue,
    dataConverter,
    workflowBundle,
  });
  const ended = worker.run();
  onTestFinished(async () => {
    worker.shutdown();
    await ended;
    await connection.close();
    await house.close();
  });
  return house;
}

/** Takes the next step as a worker would that shows what it used and dies. */
async function dieAtWork({ client, taskQueue, dataFolder }: House): Promise<void> {
  const { workflowService, options } = client;
  const { namespace } = options;
  const task = await client.withDeadline(
    Date.now() + 60_000,
    async () =>
      await workflowService.pollActivityTaskQueue({ namespace, taskQueue: { name: taskQueue }, identity: DEAD }),
  );
  const beat: CallBeat = { used: { 'r-1': used } };
  const payload = { metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from(JSON.stringify(beat)) };
  const { taskToken, activityId, workflowExecution } = task;
  await workflowService.recordActivityTaskHeartbeat({
    namespace,
    taskToken,
    details: { payloads: [payload] },
    identity: DEAD,
  });
  const folder = join(dataFolder, 'workers', DEAD);
  await mkdir(folder, { recursive: true });
  const gone = { pid: 1, startedAt: 'never', bootId: '' };
  await writeFile(join(folder, 'worker.json'), JSON.stringify({ id: DEAD, process: gone }));
  await writeFile(join(folder, 'steps.jsonl'), `${JSON.stringify({ begins: { ...workflowExecution, activityId } })}\n`);
}

test('what a call had used whose worker died while it was being cancelled is in the cancelled run', async () => {
  const house = await openWorkflowsOnly();
  const run = await house.start(steps([{ text: 'never said' }]), { timeouts: { heartbeatMs: 120_000 } });
  await dieAtWork(house);
  await cancelRun(house.client, run.runId);
  await eventually(async () => {
    const { raw } = await run.handle.describe();
    return raw.pendingActivities?.some(({ state }) => state === PENDING_ACTIVITY_STATE_CANCEL_REQUESTED) === true;
  });
  const recovered = await recoverLostSteps(house.client, join(house.dataFolder, 'workers'), house.taskQueue);
  expect(recovered).toEqual({ workers: 1, steps: 1 });
  const { totals, outcome } = await run.result();
  expect(outcome.status).toBe('cancelled');
  expect(totals.usage).toEqual(used);
  await replay(house.client, run.runId);
});
