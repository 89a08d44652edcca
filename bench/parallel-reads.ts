import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readRun, startRun } from '../src/client.ts';
import { CALLS_PER_TURN_MAX } from '../src/contract/limits.ts';
import { startBenchWorker } from './bench-worker.ts';
import { benchSpec } from './bench-spec.ts';
import { modelsOf } from './instant-model.ts';
import { median, say, type Setting } from './setting.ts';
import { createTurnClock } from './turn-clock.ts';

const REPETITIONS = 5;

/** Reads a second, when one reply asks for as many as a reply may: from the reply to the request with the results. */
export async function measureParallelReads(setting: Setting): Promise<number> {
  const { client, workspace } = setting;
  const names = Array.from({ length: CALLS_PER_TURN_MAX }, (_, number) => `small/${number}.txt`);
  await mkdir(join(workspace, 'small'), { recursive: true });
  await Promise.all(names.map(async (name) => await writeFile(join(workspace, name), `This is ${name}.\n`)));
  const { model, elapsedMs } = createTurnClock(names.map((path) => ({ name: 'read_file', input: { path } })));
  const { taskQueue, worker } = await startBenchWorker(setting, { models: modelsOf(model) });
  const perSecond: number[] = [];
  for (let repetition = 1; repetition <= REPETITIONS; repetition += 1) {
    const runId = `reads-${randomUUID()}`;
    await startRun(client, benchSpec(runId, workspace), taskQueue);
    await client.workflow.getHandle(runId).result();
    const reading = await readRun(client, runId);
    const done = reading.kind === 'ended' ? reading.memo?.totals.toolCalls : 0;
    if (done !== names.length) throw new Error(`Cannot count reads: ${done} of ${names.length} were done`);
    perSecond.push(names.length / (elapsedMs() / 1_000));
    say(`  ${names.length} reads, ${repetition} of ${REPETITIONS}: ${perSecond.at(-1)?.toFixed(0)} a second`);
  }
  await worker.shutdown();
  return median(perSecond);
}
