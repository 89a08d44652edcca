import { randomUUID } from 'node:crypto';
import { appendFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { NativeConnection, Worker } from '@temporalio/worker';
import * as z from 'zod';
import { startRun } from '../src/client.ts';
import { PARALLEL_CALLS_MAX } from '../src/contract/limits.ts';
import type { ToolDefinition } from '../src/contract/spec.ts';
import type { Models } from '../src/models/models.ts';
import { createRegistry } from '../src/tools/registry.ts';
import { defineTool, type Tool } from '../src/tools/tool.ts';
import { startBenchWorker } from './bench-worker.ts';
import { benchSpec } from './bench-spec.ts';
import { TWO_KILOBYTES } from './instant-model.ts';
import { median, say, type Setting } from './setting.ts';
import { createTurnClock } from './turn-clock.ts';

/** Milliseconds a call, each the median of its repetitions. */
export interface ToolOverhead {
  readonly bareMs: number;
  /** Claimed before it starts, its result stored before it is reported. */
  readonly unsafeMs: number;
  readonly bareTogetherMs: number;
  /** A read that is an activity of its own, as `web_fetch` is. */
  readonly readMs: number;
  /** A short read beside the workflow, as `read_file` is. */
  readonly shortReadMs: number;
}

const CALLS = 48;
const REPETITIONS = 25;

/** The same effect in ours and in the bare workflow: a line is added to a file. */
async function effect(folder: string): Promise<string> {
  await appendFile(join(folder, 'effects.txt'), 'done\n');
  return TWO_KILOBYTES;
}

const shape = {
  description: 'Adds a line to a file.',
  input: z.strictObject({ number: z.int() }),
  timeoutMs: 60_000,
  summarize: ({ number }: { readonly number: number }) => `line ${number}`,
  run: async (_input: unknown, { workspace }: { readonly workspace: { readonly root: string } }) => ({
    text: await effect(workspace.root),
  }),
};
const unsafeTool = defineTool({ ...shape, name: 'line_unsafe', effect: 'unsafe', local: false });
const readTool = defineTool({ ...shape, name: 'line_read', effect: 'read', local: false });
const shortReadTool = defineTool({ ...shape, name: 'line_short_read', effect: 'read', local: true });
const TOOLS: readonly Tool[] = [unsafeTool, readTool, shortReadTool];

/** One turn of many calls, in one of the systems; resolves to the milliseconds a call. */
type Turn = () => Promise<number>;

interface System {
  readonly turns: Readonly<Partial<Record<keyof ToolOverhead, Turn>>>;
  readonly close: () => Promise<void>;
}

/**
 * Time of one tool call, from the reply that asks for it to the request that has its result, against a bare activity
 * with the same effect, arguments and result. The systems take turns, so that a noisy moment meets all of them.
 */
export async function measureToolOverhead(setting: Setting): Promise<ToolOverhead> {
  const systems = [await openBare(setting), await openOurs(setting)];
  const turns = Object.entries(Object.assign({}, ...systems.map((system) => system.turns)) as Record<string, Turn>);
  const measures = new Map(turns.map(([name]) => [name, [] as number[]]));
  for (let repetition = 0; repetition <= REPETITIONS; repetition += 1) {
    for (const [name, turn] of turns) {
      const ms = await turn();
      // The first of each warms up.
      if (repetition > 0) measures.get(name)?.push(ms);
    }
  }
  await Promise.all(systems.map(async ({ close }) => await close()));
  const medians = Object.fromEntries([...measures].map(([name, list]) => [name, median(list)]));
  const text = Object.entries(medians).map(([name, ms]) => `${name} ${ms.toFixed(2)}`);
  say(`  medians of ${REPETITIONS} turns of ${CALLS} calls: ${text.join(', ')}`);
  return medians as unknown as ToolOverhead;
}

async function openBare({ target, client, workspace }: Setting): Promise<System> {
  const taskQueue = `bare-${randomUUID()}`;
  const connection = await NativeConnection.connect({ address: target.address });
  const askedAt: number[] = [];
  const worker = await Worker.create({
    connection,
    namespace: target.namespace,
    taskQueue,
    workflowsPath: join(import.meta.dirname, `bare-calls${extname(import.meta.filename)}`),
    maxConcurrentActivityTaskExecutions: 200,
    activities: {
      model: async () => await Promise.resolve(void askedAt.push(performance.now())),
      tool: async (_input: unknown) => await effect(workspace),
    },
  });
  const ended = worker.run();
  const turn = async (together: number): Promise<number> => {
    askedAt.length = 0;
    const started = { taskQueue, workflowId: `bare-${randomUUID()}`, args: [CALLS, together] };
    await client.workflow.execute('bareCalls', started);
    return ((askedAt[1] ?? 0) - (askedAt[0] ?? 0)) / CALLS;
  };
  return {
    turns: { bareMs: async () => await turn(1), bareTogetherMs: async () => await turn(PARALLEL_CALLS_MAX) },
    async close() {
      worker.shutdown();
      await ended;
      await connection.close();
    },
  };
}

async function openOurs(setting: Setting): Promise<System> {
  const { client, workspace } = setting;
  let clock = createTurnClock([]);
  const models: Models = { choose: () => clock.model, close: async () => await Promise.resolve() };
  const { taskQueue, worker } = await startBenchWorker(setting, { models, tools: TOOLS });
  const turn = async (tool: Tool): Promise<number> => {
    clock = createTurnClock(Array.from({ length: CALLS }, (_, number) => ({ name: tool.name, input: { number } })));
    const runId = `calls-${randomUUID()}`;
    const spec = benchSpec(runId, workspace);
    const policy = { ...spec.policy, allow: [...spec.policy.allow, unsafeTool.name] };
    await startRun(client, { ...spec, tools: [...spec.tools, ...definitions()], policy }, taskQueue);
    await client.workflow.getHandle(runId).result();
    return clock.elapsedMs() / CALLS;
  };
  return {
    turns: {
      unsafeMs: async () => await turn(unsafeTool),
      readMs: async () => await turn(readTool),
      shortReadMs: async () => await turn(shortReadTool),
    },
    close: async () => await worker.shutdown(),
  };
}

function definitions(): readonly ToolDefinition[] {
  const registry = createRegistry(TOOLS);
  return registry.definitions(registry.names);
}
