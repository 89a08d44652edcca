import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { keyOf } from '../src/activities/call-key.ts';
import { cancelRun, readRun, startRun } from '../src/client.ts';
import { digestOf } from '../src/tools/digest.ts';
import { callKey } from '../src/tools/ledger/ledger.ts';
import { findMarked } from '../src/tools/shell/process-tree.ts';
import { benchSpec } from './bench-spec.ts';
import { startChild } from './child-process.ts';
import { bundlePath, say, type Setting } from './setting.ts';

const CANCELS = 10;

/** Seconds from the order to cancel a run until its command has no process left; each time another run. */
export async function measureCancel({ target, client, folder, workspace }: Setting): Promise<readonly number[]> {
  const taskQueue = `cancel-${randomUUID()}`;
  const input = { command: 'sleep 600 & sleep 600' };
  const step = { turns: 10, tool: 'bash', input };
  const worker = startChild({ target, taskQueue, dataFolder: folder, bundlePath, ...step });
  await worker.ready;
  const seconds: number[] = [];
  for (let count = 1; count <= CANCELS; count += 1) {
    const runId = `cancel-${randomUUID()}`;
    await startRun(client, benchSpec(runId, workspace), taskQueue);
    const { runId: chain } = await client.workflow.getHandle(runId).describe();
    const place = { chain, turn: 1, index: 0, callId: '', messages: 0 };
    const call = keyOf({ ...place, digest: digestOf('bash', input) });
    const marker = { name: 'NIGHTSHIFT_CALL', value: callKey(runId, call) };
    while ((await findMarked(marker)).length < 2) await sleep(20);
    const askedAt = performance.now();
    await cancelRun(client, runId);
    while ((await findMarked(marker)).length > 0) await sleep(5);
    seconds.push((performance.now() - askedAt) / 1_000);
    while ((await readRun(client, runId)).kind !== 'ended') await sleep(20);
    say(`  cancel ${count} of ${CANCELS}: ${seconds.at(-1)?.toFixed(2)} s`);
  }
  await worker.end('SIGTERM');
  return seconds;
}
