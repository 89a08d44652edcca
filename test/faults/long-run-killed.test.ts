import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { historyByTurn, meanOf } from '../../bench/history-by-turn.ts';
import { controlDefinitions, emitValueDefinition } from '../../src/contract/control-tools.ts';
import type { RunEvent } from '../../src/contract/events.ts';
import type { Usage } from '../../src/contract/messages.ts';
import { SIGNALS } from '../../src/contract/names.ts';
import type { RunResult, RunView } from '../../src/contract/run.ts';
import { loopsSchema } from '../../src/contract/terms.ts';
import type { Conversation } from '../../src/models/offline/conversation.ts';
import type { Scenario, ScriptedCall } from '../../src/models/offline/scenario.ts';
import { createRegistry } from '../../src/tools/registry.ts';
import { rebuildRun } from '../../src/worker/rebuild-run.ts';
import type { Rebuilt } from '../../src/worker/rebuild/rebuilt.ts';
import { builtinTools } from '../support/builtin-tools.ts';
import { openHouse, type House, type LiveRun, type SpecChanges } from '../support/house.ts';
import { compileWorker, endWorkers, spawnWorker, type WorkerProcess } from '../support/worker-process.ts';

const TURNS = 2_000;
const COMPACTIONS_MIN = 40;

/** Moments at which the worker is killed: in the middle of the model call of a step, or of so manieth summary. */
const STRIKES = ['step 150', 'summary 12', 'step 1000', 'summary 40', 'step 1900'];

const INSTRUCTION = 'Leave the second list alone: it belongs to Bob.';
const TITLE = 'Lines of the first list';
const LATEST = /(\d+)\D*$/u;

/** Reads one line a turn, keeps a list and notes meanwhile, and says so when what a person said is forgotten. */
const work: Scenario = (seen) => {
  if (seen.aside !== null) return { text: 'Lines of the first list were read, one after another. Nothing was odd.' };
  const step = stepOf(seen);
  const isInstructed = step <= 2 || seen.words.some((words) => words.includes(INSTRUCTION));
  if (!isInstructed) return { text: `what Ann said was forgotten at step ${step}` };
  return { ...(step % 5 === 0 && { thinking: `step ${step}`, text: `line ${step}` }), calls: callsOf(step) };
};

/** The step that comes next: the number of a step is the last in the input of one of its calls. */
function stepOf({ results }: Conversation): number {
  return 1 + Math.max(0, ...results.slice(-2).map(({ input }) => Number(LATEST.exec(JSON.stringify(input))?.[1] ?? 0)));
}

function callsOf(step: number): readonly ScriptedCall[] {
  const read = { name: 'read_file', input: { path: 'first.txt', limit: 1, offset: step } };
  if (step === TURNS) return [{ name: 'terminate', input: { status: 'success', summary: `read up to line ${step}` } }];
  if (step === 3) return [{ name: 'emit_value', input: { name: 'title', value: TITLE } }, read];
  if (step % 100 === 1) return [{ name: 'todo', input: { items: todosAt(step) } }, read];
  if (step % 100 === 2) return [{ name: 'notes', input: { text: `All was well up to line ${step}` } }];
  if (step % 50 === 0) return [{ name: 'write_file', input: { content: 'seen', path: `seen/${step}` } }];
  return step % 20 === 10 ? [read, { name: 'read_file', input: { path: 'same.txt' } }] : [read];
}

function todosAt(step: number): readonly Readonly<Record<string, string>>[] {
  return [
    { content: 'Ask Bob for his list', status: 'blocked' },
    { content: 'Read the first list', status: 'in_progress', activeForm: `Reading line ${step}` },
  ];
}

const outputs = [{ name: 'title', schema: { type: 'string' } }];
const names = ['read_file', 'write_file'];

const changes: SpecChanges = {
  tools: [...createRegistry(builtinTools()).definitions(names), ...controlDefinitions, emitValueDefinition(outputs)],
  outputs,
  loops: loopsSchema.parse({}),
  reuseReads: true,
  remindAfterTurns: 30,
  compaction: { windowShare: 0.6, keptShare: 0.3, by: 'model' },
  policy: { allow: ['write_file'] },
  limits: { turns: 10_000, toolCalls: 100_000, activeMs: 1e9, tokens: 1e12, costUsd: 1e6 },
};

/** A run that was played to its end, and what it knew and did. */
interface Played {
  readonly house: House;
  readonly run: LiveRun;
  readonly result: RunResult;
  readonly view: RunView;
  /** Every message and every event of its whole history, replayed. */
  readonly story: readonly Rebuilt[];
}

let folder: string;
let calm: Played;
let struck: Played;
const left = new Set(STRIKES);
beforeAll(async () => {
  folder = await compileWorker();
  [calm, struck] = await Promise.all([play(false), play(true)]);
}, 400_000);
afterAll(async () => {
  await endWorkers();
  await Promise.all([calm, struck].map(async (played) => await played?.house.close()));
  await rm(folder, { recursive: true, force: true });
});

/** Plays the run with workers of its own, which are killed at each of the moments or left alone. */
async function play(isStruck: boolean): Promise<Played> {
  const house = await openHouse({ worker: false });
  await writeLists(house.workspace);
  const runId = `long-${house.taskQueue}`;
  const model = { id: `offline-${runId}`, maxTokens: 8_000, contextTokens: 10_000, offline: false };
  const workers = createStrikes(house);
  const run = await house.start(isStruck ? workers.strikeIn(work) : work, { ...changes, runId, model });
  await run.handle.signal(SIGNALS.send, { by: 'ann', text: INSTRUCTION });
  await workers.start();
  // Asking the run over and over how it does would cost as much as the run.
  await run.handle.result();
  const result = await run.result();
  await workers.settled();
  const view = await run.handle.query<RunView, [unknown]>('state', {});
  return { house, run, result, view, story: await storyOf(house, runId) };
}

async function storyOf({ client }: House, runId: string): Promise<readonly Rebuilt[]> {
  const story: Rebuilt[] = [];
  for await (const one of rebuildRun(client, runId, { bundlePath: inject('workflowBundle') })) story.push(one);
  return story;
}

async function writeLists(workspace: string): Promise<void> {
  const lines = Array.from({ length: TURNS }, (_, index) => `line ${index + 1}`);
  await mkdir(join(workspace, 'seen'));
  await writeFile(join(workspace, 'first.txt'), lines.join('\n'));
  await writeFile(join(workspace, 'same.txt'), 'This never changes. '.repeat(40));
}

interface Strikes {
  readonly start: () => Promise<void>;
  /** The scenario, during which the worker is killed and another started. */
  readonly strikeIn: (scenario: Scenario) => Scenario;
  readonly settled: () => Promise<void>;
}

function createStrikes(house: House): Strikes {
  let worker: WorkerProcess | undefined;
  let summaries = 0;
  const strikes: Promise<void>[] = [];
  const start = async (): Promise<void> => void (worker = await spawnWorker(folder, house.workerOptions));
  const strike = async (): Promise<void> => {
    await worker?.kill();
    await start();
  };
  return {
    start,
    strikeIn: (scenario) => (seen) => {
      summaries += seen.aside === null ? 0 : 1;
      const moment = seen.aside === null ? `step ${stepOf(seen)}` : `summary ${summaries}`;
      if (left.delete(moment)) strikes.push(strike());
      return scenario(seen);
    },
    settled: async () => void (await Promise.all(strikes)),
  };
}

/** What a run knows at its end, without times, names, how often it continued as new, and what attempts that broke off cost. */
async function endOf({ house, result, view, story }: Played): Promise<unknown> {
  const { continuations, lastEvent, title: _title, model: _model, since: _since, runId: _id, ...known } = view;
  const { activeMs: _ms, usage: _usage, spending = [], ...counts } = result.totals;
  return {
    ...known,
    totals: counts,
    result: { ...result, runId: '', totals: counts },
    events: lastEvent - continuations - story.filter(isProblem).length,
    spending: spending.map(({ purpose, calls }) => [purpose, calls]),
    seen: (await readdir(join(house.workspace, 'seen'))).toSorted(),
  };
}

/** Which tokens of a prompt come from the cache is a matter of repeats, and no part of what a run did. */
function tokensOf({ input, output, cacheRead, cacheWrite }: Usage): number {
  return input + output + cacheRead + cacheWrite;
}

/** Tells that an attempt broke off, which is what a kill in the middle of a model call is. */
function isProblem(one: Rebuilt): boolean {
  return one.kind === 'event' && one.event.type === 'model.problem';
}

function eventsOf({ story }: Played): readonly unknown[] {
  return story.flatMap((one) =>
    one.kind === 'event' && one.event.type !== 'run.continued' && !isProblem(one) ? [eventOf(one.event)] : [],
  );
}

function eventOf({ seq: _seq, at: _at, ...event }: RunEvent): unknown {
  if (event.type === 'run.started') return { ...event, model: '' };
  if (event.type === 'model.replied') return { ...event, usage: tokensOf(event.usage), durationMs: 0 };
  return 'durationMs' in event ? { ...event, durationMs: 0 } : event;
}

function messagesOf({ story }: Played): readonly Rebuilt[] {
  return story.filter(({ kind }) => kind === 'message' || kind === 'segment');
}

test('a run of 2,000 turns is compacted dozens of times and comes to its end', async () => {
  expect(calm.result).toMatchObject({
    stopReason: 'terminated',
    answer: `read up to line ${TURNS}`,
    outputs: { title: TITLE },
    blocked: ['Ask Bob for his list'],
    totals: { turns: TURNS, unknown: 0 },
  });
  const { compactions, continuations, todos } = calm.view;
  expect(todos).toEqual(todosAt(1_901));
  expect(compactions).toBeGreaterThanOrEqual(COMPACTIONS_MIN);
  expect(continuations).toBeGreaterThan(2);
  expect(calm.result.totals.reusedReads).toBeGreaterThan(0);
});

test('workers killed in the middle of turns and of summaries change nothing of what it is in the end', async () => {
  expect([...left]).toEqual([]);
  expect(await endOf(struck)).toEqual(await endOf(calm));
});

test('what the killed attempts cost is on the bill of the run', () => {
  const [kills, undisturbed] = [struck, calm].map(({ result }) => tokensOf(result.totals.usage));
  expect(kills).toBeGreaterThanOrEqual(undisturbed ?? Infinity);
  expect(struck.story.filter(isProblem).length).toBeLessThanOrEqual(STRIKES.length);
  expect(calm.story.filter(isProblem)).toEqual([]);
});

test('nor anything of what was said and done on the way, as its history tells it', () => {
  expect(eventsOf(struck)).toEqual(eventsOf(calm));
  expect(messagesOf(struck)).toEqual(messagesOf(calm));
  expect(struck.story.at(-1)).toMatchObject({ kind: 'end', isOpen: false });
});

test('list, notes, output and the words of a person stand word for word behind the last compaction', () => {
  const text = JSON.stringify(messagesOf(struck).findLast((one) => one.kind === 'message' && one.index === 1));
  expect(text).toContain(`ann says: ${INSTRUCTION}`);
  expect(text).toContain(TITLE);
  expect(text).toContain('[!] Ask Bob for his list');
  expect(text).toContain('[>] Read the first list (Reading line 1901)');
  expect(text).toContain('All was well up to line 1902');
});

test('a turn leaves as much history at the end as at the beginning', async () => {
  const bytes = await historyByTurn(calm.house.client, calm.run.runId);
  const third = Math.floor(TURNS / 3);
  const ratio = meanOf(bytes, [TURNS - third + 1, TURNS]) / meanOf(bytes, [1, third]);
  expect(ratio).toBeGreaterThan(0.85);
  expect(ratio).toBeLessThan(1.15);
});
