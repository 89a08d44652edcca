import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { startRun } from '../src/client.ts';
import { benchSpec } from './bench-spec.ts';
import { readTool } from './bench-tools.ts';
import { cpuSeconds, residentMegabytes, startChild } from './child-process.ts';
import { bundlePath, say, type Setting } from './setting.ts';

export interface IdleMemory {
  /** Megabytes of a worker that holds no run. */
  readonly emptyMegabytes: number;
  readonly megabytes: number;
}

const IDLE_RUNS = 200;

/** Memory of a worker that holds 200 runs, each waiting for a person after one turn. */
export async function measureIdleMemory({ target, client, folder, workspace }: Setting): Promise<IdleMemory> {
  const taskQueue = `idle-${randomUUID()}`;
  const ask = { tool: 'write_file', input: { path: 'a.txt', content: 'never' } };
  const worker = startChild({ target, taskQueue, dataFolder: folder, bundlePath, turns: 10, ...ask });
  await worker.ready;
  const emptyMegabytes = residentMegabytes(worker.pid);
  const runIds = Array.from({ length: IDLE_RUNS }, () => `idle-${randomUUID()}`);
  await Promise.all(runIds.map(async (runId) => await startRun(client, benchSpec(runId, workspace), taskQueue)));
  const query = `TaskQueue = '${taskQueue}' AND NightshiftState = 'awaiting_human'`;
  while ((await client.workflow.count(query)).count < IDLE_RUNS) await sleep(200);
  await sleep(2_000);
  const megabytes = residentMegabytes(worker.pid);
  say(`  ${IDLE_RUNS} idle runs: ${megabytes.toFixed(0)} MB, empty ${emptyMegabytes.toFixed(0)} MB`);
  await Promise.all(runIds.map(async (runId) => await client.workflow.getHandle(runId).terminate('measured')));
  await worker.end('SIGKILL');
  return { emptyMegabytes, megabytes };
}

const CPU_RUNS = 50;
const CPU_TURNS = 20;

/** CPU seconds of the worker process for 1,000 turns, 50 runs at once. */
export async function measureCpu({ target, client, folder, workspace }: Setting): Promise<number> {
  const taskQueue = `cpu-${randomUUID()}`;
  const worker = startChild({
    target,
    taskQueue,
    dataFolder: folder,
    bundlePath,
    turns: CPU_TURNS,
    tool: readTool.name,
    input: {},
  });
  await worker.ready;
  const runAll = async (count: number): Promise<void> => {
    await Promise.all(
      Array.from({ length: count }, async () => {
        const runId = `cpu-${randomUUID()}`;
        await startRun(client, benchSpec(runId, workspace), taskQueue);
        await client.workflow.getHandle(runId).result();
      }),
    );
  };
  await runAll(3);
  const before = cpuSeconds(worker.pid);
  await runAll(CPU_RUNS);
  const used = ((cpuSeconds(worker.pid) - before) * 1_000) / (CPU_RUNS * CPU_TURNS);
  say(`  ${used.toFixed(2)} CPU seconds per 1,000 turns`);
  await worker.end('SIGTERM');
  return used;
}
