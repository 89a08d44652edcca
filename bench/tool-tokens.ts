import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readEnvironment } from '../src/config/environment.ts';
import { offerTools } from '../src/config/offered-tools.ts';
import { startRun } from '../src/client.ts';
import { TOOL_SEARCH, useToolDefinition } from '../src/contract/control-tools.ts';
import type { RunResult } from '../src/contract/run.ts';
import type { RunSpec } from '../src/contract/spec.ts';
import { steps, type ScriptedCall, type ScriptedReply } from '../src/models/offline/scenario.ts';
import { startOfflineModel, type OfflineModel } from '../src/models/offline/server.ts';
import { startBenchWorker } from './bench-worker.ts';
import { benchSpec } from './bench-spec.ts';
import { manyTools } from './many-tools.ts';
import { say, type Setting } from './setting.ts';

export interface ToolTokens {
  /** Prompt tokens of the whole conversation, cached ones included, as the model server counts them. */
  readonly allSent: number;
  readonly deferred: number;
}

/** The same small job each time: a look around, one call of one of the hundred, and more looking around. */
const LOOKS = 8;
const WANTED = 'tickets__create_issue';
const INPUT = { title: 'The nightly build fails', tags: ['build'] };

/**
 * What a hundred tools cost in a conversation of ten replies: all sent in every request, or found by search. The search
 * and the definitions it gives are counted, as is the reply that they cost.
 */
export async function measureToolTokens(setting: Setting): Promise<ToolTokens> {
  const { workspace } = setting;
  await writeFile(join(workspace, 'notes.txt'), 'Nothing of note.\n');
  await writeFile(join(workspace, 'answer.sh'), 'echo "made $1 number 4711"\n');
  const model = await startOfflineModel();
  const models = { apiKey: 'bench', baseURL: model.url };
  const environment = readEnvironment();
  const { taskQueue, worker } = await startBenchWorker(setting, { models, environment });
  const spec = benchSpec('', workspace);
  const search = spec.tools.filter(({ name }) => name === TOOL_SEARCH);
  const own = spec.tools.filter(({ name }) => name !== TOOL_SEARCH);
  const all = [...own, ...manyTools('sh answer.sh')];
  try {
    const measure = { ...setting, model, taskQueue };
    const direct = { name: WANTED, input: INPUT };
    const allSent = await promptTokens(measure, { ...spec, tools: all }, [direct]);
    const offered = offerTools(all, [...search, useToolDefinition]);
    const query = { name: TOOL_SEARCH, input: { query: 'create issue ticket' } };
    const found = { name: useToolDefinition.name, input: { tool: WANTED, input: INPUT } };
    const deferred = await promptTokens(measure, { ...spec, ...offered }, [query, found]);
    say(`  prompt tokens: ${allSent} with all tools sent, ${deferred} with search`);
    return { allSent, deferred };
  } finally {
    await worker.shutdown();
    await model.close();
  }
}

interface Measure extends Setting {
  readonly model: OfflineModel;
  readonly taskQueue: string;
}

async function promptTokens(
  { client, model, taskQueue }: Measure,
  spec: RunSpec,
  job: readonly ScriptedCall[],
): Promise<number> {
  const runId = `tokens-${randomUUID()}`;
  const id = `offline-${runId}`;
  const look = { name: 'read_file', input: { path: 'notes.txt' } };
  const replies = [...job, ...Array.from({ length: LOOKS }, () => look)].map((call): ScriptedReply => ({
    text: 'Next.',
    calls: [call],
  }));
  let last = '';
  model.script(id, (seen) => {
    last = seen.results.find(({ tool }) => tool === job.at(-1)?.name)?.text ?? last;
    return steps([...replies, { text: 'Done.' }])(seen);
  });
  const policy = { ...spec.policy, allow: [...spec.policy.allow, WANTED] };
  await startRun(client, { ...spec, runId, policy, model: { ...spec.model, id } }, taskQueue);
  const { totals } = (await client.workflow.getHandle(runId).result()) as RunResult;
  if (!last.includes('made create_issue number 4711')) throw new Error(`Cannot count tokens: the call said "${last}"`);
  return totals.usage.input + totals.usage.cacheRead + totals.usage.cacheWrite;
}
