import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerApproval, checkHealth } from '../../src/client.ts';
import { steps } from '../../src/models/offline/scenario.ts';
import { startWorker } from '../../src/worker.ts';
import { openHouse, type House } from '../support/house.ts';
import { eventually } from '../support/recorder.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse({ worker: false });
});
afterAll(async () => {
  await house.close();
});

const ask = steps([
  { calls: [{ name: 'bash', input: { command: 'echo done' } }] },
  (seen) => ({ text: seen.lastResults[0]?.text ?? '' }),
]);

test(
  'a deploy that breaks replay holds a run, the watchdog says so within a minute, and rolling back loses nothing',
  { timeout: 240_000 },
  async () => {
    const workflowsPath = join(import.meta.dirname, '..', 'support', 'changed-workflows.ts');
    const ignore = (): void => undefined;
    const { code } = await bundleWorkflowCode({
      workflowsPath,
      logger: { log: ignore, trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore },
    });
    const changedBundle = join(house.dataFolder, 'changed.js');
    await writeFile(changedBundle, code);

    const before = await startWorker(house.workerOptions);
    const run = await house.start(ask);
    const { approvals } = await run.until(({ state }) => state === 'awaiting_human');
    await before.shutdown();

    const broken = await startWorker({ ...house.workerOptions, bundlePath: changedBundle });
    const [approval] = approvals;
    await answerApproval(house.client, run.runId, {
      id: approval!.id,
      digest: approval!.digest,
      decision: 'approve',
      by: 'ann',
    });
    await eventually(async () => (await checkHealth(house.client)).stuck.some(({ runId }) => runId === run.runId));
    const stuck = (await checkHealth(house.client)).stuck.find(({ runId }) => runId === run.runId);
    expect(stuck?.error).toMatch(/TMPRL1100|[Nn]ondeterminism/u);
    expect((await run.read()).kind).toBe('asleep');
    await broken.shutdown();

    const rolledBack = await startWorker(house.workerOptions);
    expect((await run.result()).answer).toContain('done');
    await rolledBack.shutdown();
  },
);

test('a queue that nobody polls is named, with the number of runs that wait on it', async () => {
  const alone = await openHouse({ worker: false });
  try {
    const run = await alone.start(ask);
    // The server lists a run a moment after it took it.
    const own = { taskQueue: alone.taskQueue, runs: 1 };
    await expect.poll(async () => (await checkHealth(alone.client)).unpolled, { timeout: 60_000 }).toContainEqual(own);
    await run.handle.terminate('done');
  } finally {
    await alone.close();
  }
});
