import { randomUUID } from 'node:crypto';
import { extname, join } from 'node:path';
import { NativeConnection, Worker } from '@temporalio/worker';
import { startRun } from '../src/client.ts';
import { startBenchWorker } from './bench-worker.ts';
import { benchSpec } from './bench-spec.ts';
import { readTool, unsafeTool } from './bench-tools.ts';
import { instantModel, modelsOf, TWO_KILOBYTES } from './instant-model.ts';
import { median, say, type Setting } from './setting.ts';

export interface Overhead {
  /** Milliseconds a turn. */
  readonly bareMs: number;
  readonly readMs: number;
  readonly unsafeMs: number;
}

const REPETITIONS = 5;

/**
 * Time of a turn against a bare workflow with the same two activities and payload bytes, on the same server. The
 * systems take turns within each repetition, so that a noisy moment meets all of them; the medians are compared.
 */
export async function measureOverhead(setting: Setting, runs: number, turns: number): Promise<Overhead> {
  const measures = { bareMs: [] as number[], readMs: [] as number[], unsafeMs: [] as number[] };
  for (let repetition = 1; repetition <= REPETITIONS; repetition += 1) {
    measures.bareMs.push(await timeBare(setting, runs, turns));
    measures.readMs.push(await timeOurs(setting, { runs, turns, tool: readTool.name }));
    measures.unsafeMs.push(await timeOurs(setting, { runs, turns, tool: unsafeTool.name }));
    say(
      `  ${runs} × ${turns} turns, ${repetition} of ${REPETITIONS}: ${Object.entries(measures)
        .map(([name, list]) => `${name} ${list.at(-1)?.toFixed(2)}`)
        .join(', ')}`,
    );
  }
  return { bareMs: median(measures.bareMs), readMs: median(measures.readMs), unsafeMs: median(measures.unsafeMs) };
}

async function timeBare({ target, client }: Setting, runs: number, turns: number): Promise<number> {
  const taskQueue = `bare-${randomUUID()}`;
  const connection = await NativeConnection.connect({ address: target.address });
  const worker = await Worker.create({
    connection,
    namespace: target.namespace,
    taskQueue,
    workflowsPath: join(import.meta.dirname, `bare-workflow${extname(import.meta.filename)}`),
    maxConcurrentActivityTaskExecutions: 200,
    activities: {
      model: async (turn: number) => await Promise.resolve({ text: TWO_KILOBYTES, more: turn <= turns }),
      tool: async () => await Promise.resolve(TWO_KILOBYTES),
    },
  });
  return await worker.runUntil(async () => {
    await client.workflow.execute('bareRun', { taskQueue, workflowId: `warm-${randomUUID()}` });
    return await timed(runs * turns, runs, async () => {
      await client.workflow.execute('bareRun', { taskQueue, workflowId: `bare-${randomUUID()}` });
    });
  });
}

async function timeOurs(
  setting: Setting,
  { runs, turns, tool }: { runs: number; turns: number; tool: string },
): Promise<number> {
  const { client, workspace } = setting;
  const models = modelsOf(instantModel(turns, tool));
  const { taskQueue, worker } = await startBenchWorker(setting, { models, tools: [readTool, unsafeTool] });
  const run = async (name: string): Promise<void> => {
    const runId = `${name}-${randomUUID()}`;
    await startRun(client, benchSpec(runId, workspace), taskQueue);
    await client.workflow.getHandle(runId).result();
  };
  await run('warm');
  const ms = await timed(runs * turns, runs, async () => await run('ours'));
  await worker.shutdown();
  return ms;
}

/** Milliseconds a turn of `runs` at once; with one run that is its latency, with many it is the throughput's inverse. */
async function timed(turns: number, runs: number, run: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await Promise.all(Array.from({ length: runs }, run));
  return (performance.now() - started) / turns;
}
