import { randomUUID } from 'node:crypto';
import { readEnvironment } from '../src/config/environment.ts';
import { startRun } from '../src/client.ts';
import type { RunView } from '../src/contract/run.ts';
import { prefixesOf } from '../src/models/offline/binding.ts';
import { tokensOf } from '../src/models/offline/prompt-cache.ts';
import { readPrompt } from '../src/models/offline/request.ts';
import type { Scenario } from '../src/models/offline/scenario.ts';
import { startOfflineModel, type OfflineModel } from '../src/models/offline/server.ts';
import { startBenchWorker } from './bench-worker.ts';
import { benchSpec } from './bench-spec.ts';
import { readTool } from './bench-tools.ts';
import { TWO_KILOBYTES } from './instant-model.ts';
import { median, say, type Setting } from './setting.ts';

const COMPACTIONS = 9;

/** As long as a model is told that a summary may be: about 1,500 words. */
const SUMMARY = 'What was decided, found, changed and left open. '.repeat(190);

/** Prompt tokens of one request, and whether a compaction stands between it and the one before. */
interface Sent {
  readonly tokens: number;
  readonly isFirstAfter: boolean;
}

/**
 * What a compaction leaves of the next prompt: its tokens over those of the last prompt before, system and tools included,
 * as the model server counts them, in one run whose summaries a model writes.
 */
export async function measureCompaction(setting: Setting): Promise<Readonly<Record<string, number>>> {
  const { client, workspace } = setting;
  const model = await startOfflineModel({ keep: 1 });
  const runId = `compaction-${randomUUID()}`;
  const id = `offline-${runId}`;
  const sent: Sent[] = [];
  model.script(
    id,
    recording(sent, () => promptTokens(model, id)),
  );
  const models = { apiKey: 'bench', baseURL: model.url };
  const environment = readEnvironment();
  const { taskQueue, worker } = await startBenchWorker(setting, { models, environment, tools: [readTool] });
  try {
    const spec = benchSpec(runId, workspace);
    const compaction = { windowShare: 0.6, keptShare: 0.6, by: 'model' as const };
    await startRun(client, { ...spec, model: { ...spec.model, id, contextTokens: 200_000 }, compaction }, taskQueue);
    const handle = client.workflow.getHandle(runId);
    await handle.result();
    const { compactions } = await handle.query<RunView, [unknown]>('state', {});
    return figuresOf(sent, compactions);
  } finally {
    await worker.shutdown();
    await model.close();
  }
}

function figuresOf(sent: readonly Sent[], compactions: number): Readonly<Record<string, number>> {
  const pairs = sent.flatMap(({ tokens, isFirstAfter }, index) =>
    isFirstAfter ? [{ before: sent[index - 1]?.tokens ?? 0, after: tokens }] : [],
  );
  if (pairs.length !== compactions || pairs.length === 0)
    throw new Error(`Cannot measure: ${compactions} compactions, of which a model wrote ${pairs.length}`);
  const ratios = pairs.map(({ before, after }) => after / before);
  say(`  ${pairs.length} compactions kept ${ratios.map((ratio) => ratio.toFixed(3)).join(', ')} of the tokens`);
  return {
    compactionTokensKeptRatio: median(ratios),
    compactionTokensBefore: median(pairs.map(({ before }) => before)),
    compactionTokensAfter: median(pairs.map(({ after }) => after)),
    compactionsMeasured: pairs.length,
  };
}

/** Reads two kilobytes a turn, and says as much, until there were enough compactions. */
function recording(sent: Sent[], tokens: () => number): Scenario {
  let compactions = 0;
  let isCompacted = false;
  return ({ aside }) => {
    if (aside !== null) {
      isCompacted = true;
      return { text: SUMMARY };
    }
    sent.push({ tokens: tokens(), isFirstAfter: isCompacted });
    compactions += isCompacted ? 1 : 0;
    isCompacted = false;
    return compactions < COMPACTIONS
      ? { text: TWO_KILOBYTES, calls: [{ name: readTool.name, input: {} }] }
      : { text: 'Done.' };
  };
}

function promptTokens(model: OfflineModel, id: string): number {
  const body = model.requests(id).at(-1)?.body;
  return tokensOf(prefixesOf(readPrompt(body)).at(-1)?.characters ?? 0);
}
