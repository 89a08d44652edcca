import { randomUUID } from 'node:crypto';
import { startRun } from '../src/client.ts';
import type { RunResult, RunView } from '../src/contract/run.ts';
import type { Model } from '../src/models/model.ts';
import { startBenchWorker } from './bench-worker.ts';
import { benchSpec } from './bench-spec.ts';
import { readTool, unsafeTool } from './bench-tools.ts';
import { historyByTurn, meanOf } from './history-by-turn.ts';
import { finalReply, modelsOf, toolReply } from './instant-model.ts';
import { median, say, type Setting } from './setting.ts';

const TURNS = 2_000;

/** Windows of many compactions each, so that it makes no difference where in them one falls. */
const EARLY = [101, 500] as const;
const LATE = [1_601, 2_000] as const;

const CHARACTERS_PER_TOKEN = 4;

/** What a turn late in one long run leaves in history, against one early in it; the run is compacted again and again. */
export async function measureLongRun(setting: Setting): Promise<Readonly<Record<string, number>>> {
  const { client, workspace } = setting;
  const calledAt: number[] = [];
  const models = modelsOf(sizedModel(calledAt));
  const { taskQueue, worker } = await startBenchWorker(setting, { models, tools: [readTool, unsafeTool] });
  const runId = `long-${randomUUID()}`;
  const spec = benchSpec(runId, workspace);
  const compaction = { windowShare: 0.6, keptShare: 0.6, by: 'model' as const };
  await startRun(client, { ...spec, model: { ...spec.model, contextTokens: 200_000 }, compaction }, taskQueue);
  const handle = client.workflow.getHandle(runId);
  const { totals } = (await handle.result()) as RunResult;
  const { compactions, continuations } = await handle.query<RunView, [unknown]>('state', {});
  await worker.shutdown();
  if (totals.turns !== TURNS + 1) throw new Error(`Cannot measure: ${totals.turns} turns instead of ${TURNS + 1}`);
  const bytes = await historyByTurn(client, runId);
  const [early, late] = [meanOf(bytes, EARLY), meanOf(bytes, LATE)];
  const [earlyMs, lateMs] = [medianStep(calledAt, EARLY), medianStep(calledAt, LATE)];
  say(`  ${TURNS} turns, ${compactions} compactions, ${continuations} continuations`);
  return {
    historyGrowthRatio2000: late / early,
    historyBytesPerTurnEarly: early,
    historyBytesPerTurnLate: late,
    historyCompactionsAt2000Turns: compactions,
    historyContinuationsAt2000Turns: continuations,
    millisecondsPerTurnEarly: earlyMs,
    millisecondsPerTurnLate: lateMs,
  };
}

/** Milliseconds from one turn to the next: the median over the turns of a window. */
function medianStep(calledAt: readonly number[], [first, last]: readonly [number, number]): number {
  const steps = calledAt.slice(first, last).map((at, index) => at - (calledAt[first + index - 1] ?? at));
  return median(steps);
}

/** The instant model, but its prompt is as long as what it is sent, and it can write a summary. It serves one run. */
function sizedModel(calledAt: number[]): Model {
  return {
    async call({ messages, toolChoice }) {
      if (toolChoice === 'none') return await Promise.resolve(finalReply());
      const turn = calledAt.push(performance.now());
      const reply = turn > TURNS ? finalReply() : toolReply(turn, unsafeTool.name, {});
      const cacheRead = Math.ceil(JSON.stringify(messages).length / CHARACTERS_PER_TOKEN);
      return await Promise.resolve({ ...reply, usage: { ...reply.usage, cacheRead } });
    },
    check: async () => await Promise.resolve(),
  };
}
