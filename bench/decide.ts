import type { CallModelResult } from '../src/contract/activities.ts';
import { controlDefinitions, emitValueDefinition, TODO } from '../src/contract/control-tools.ts';
import { type RunSpec } from '../src/contract/spec.ts';
import { loopsSchema } from '../src/contract/terms.ts';
import { apply, type Observation } from '../src/core/apply.ts';
import { settleRun } from '../src/core/settle.ts';
import { begin } from '../src/core/begin.ts';
import { decide, type Decision } from '../src/core/decide.ts';
import { newRun, type Run } from '../src/core/run.ts';
import { digestOf } from '../src/tools/digest.ts';
import { benchSpec } from './bench-spec.ts';
import { readTool } from './bench-tools.ts';
import { median, say } from './setting.ts';

const EARLY_TURN = 10;
const LATE_TURN = 2_000;

/** Turns timed together, and how often; the two states take turns, so that a noisy moment meets both. */
const BATCH = 100;
const BATCHES = 201;
const WARM_UP_BATCHES = 20;

const T0 = 1_800_000_000_000;

/**
 * Microseconds of the pure core for one whole turn, and of `decide` alone, early and late in the same run. What a model
 * and a tool say is made up beforehand.
 */
export function measureDecide(): Readonly<Record<string, number>> {
  const { early, late } = playRun(specOfEverything());
  const turn = timePair(
    () => playTurn(early),
    () => playTurn(late),
  );
  const alone = timePair(
    () => decide(early.run, T0),
    () => decide(late.run, T0),
  );
  say(`  a turn: ${turn.early.toFixed(1)} µs at turn ${EARLY_TURN}, ${turn.late.toFixed(1)} µs at ${LATE_TURN}`);
  return {
    decideMicrosecondsAtTurn10: turn.early,
    decideMicrosecondsAtTurn2000: turn.late,
    decideGrowthRatio: turn.late / turn.early,
    decideOnlyMicrosecondsAtTurn10: alone.early,
    decideOnlyMicrosecondsAtTurn2000: alone.late,
    decideCompactionsAtTurn2000: late.run.compactions,
    decideEventsKeptAtTurn2000: late.run.log.kept.length,
  };
}

/** A run before a turn, and what is observed in that turn. */
interface Turn {
  readonly run: Run;
  readonly reply: Observation;
  readonly result: Observation;
}

interface Pair<T> {
  readonly early: T;
  readonly late: T;
}

function timePair(early: () => unknown, late: () => unknown): Pair<number> {
  const times: { early: number[]; late: number[] } = { early: [], late: [] };
  for (let batch = -WARM_UP_BATCHES; batch < BATCHES; batch += 1) {
    const measured = { early: timeBatch(early), late: timeBatch(late) };
    if (batch < 0) continue;
    times.early.push(measured.early);
    times.late.push(measured.late);
  }
  return { early: median(times.early), late: median(times.late) };
}

function timeBatch(work: () => unknown): number {
  const startedAt = performance.now();
  for (let count = 0; count < BATCH; count += 1) work();
  return ((performance.now() - startedAt) * 1_000) / BATCH;
}

/** Everything that judges is switched on. The window is small, so that a rule compacts every forty turns or so. */
function specOfEverything(): RunSpec {
  const spec = benchSpec('decide', '/');
  const outputs = [{ name: 'report', schema: { type: 'string' } }];
  return {
    ...spec,
    model: { ...spec.model, contextTokens: 40_000 },
    tools: [...spec.tools, ...controlDefinitions, emitValueDefinition(outputs)],
    outputs,
    loops: loopsSchema.parse({ judgeAfterTurns: 30 }),
    remindAfterTurns: 3,
    reuseReads: true,
    compaction: { windowShare: 0.6, keptShare: 0.6, by: 'rule' },
    critique: { when: ['after_errors', 'before_complete'], redoMax: 3, tests: ['npm test*'], expectsChanges: true },
    limits: { ...spec.limits, consecutiveErrors: 3 },
    budget: { atCap: 'stop', ledger: 'ledger', caps: [{ key: 'day', costUsd: 1e6 }] },
  };
}

/** Plays one run, and keeps it as it was before each of the measured turns. */
function playRun(spec: RunSpec): Pair<Turn> {
  const kept: Turn[] = [];
  let run = newRun(spec, T0);
  while (run.turn < LATE_TURN) {
    if (isReady(run) && (run.turn === EARLY_TURN - 1 || run.turn === LATE_TURN - 1)) kept.push(turnFrom(run));
    run = step(run, (decision) => observe(run, decision));
    if (run.ending !== null) throw new Error(`Cannot measure: the run ended at turn ${run.turn}`);
  }
  const [early, late] = kept;
  if (early === undefined || late === undefined) throw new Error('Cannot measure: a measured turn was not met');
  return { early, late };
}

/** Whether nothing but an ordinary turn comes next. */
function isReady(run: Run): boolean {
  const decision = decide(run, T0);
  return decision.kind === 'think' && decision.purpose === 'turn' && run.calls.length === 0;
}

function turnFrom(run: Run): Turn {
  const reply: Observation = { kind: 'reply', result: replyOf(run) };
  const acting = apply(run, reply, T0);
  return { run, reply, result: observe(acting, decide(acting, T0)) };
}

/** One whole turn as the workflow plays it: a reply with a call, its result, and everything that judges what came of it. */
function playTurn({ run, reply, result }: Turn): Run {
  const acting = step(run, () => reply);
  const done = step(acting, () => result);
  return settleRun(done, T0);
}

function step(run: Run, observed: (decision: Decision) => Observation): Run {
  const settled = settleRun(run, T0);
  const decision = decide(settled, T0);
  return apply(begin(settled, decision, T0), observed(decision), T0);
}

function observe(run: Run, decision: Decision): Observation {
  switch (decision.kind) {
    case 'think':
      return { kind: 'reply', result: replyOf(run) };
    case 'reflect':
      return { kind: decision.on, result: null };
    case 'act':
      return { kind: 'result', callId: decision.calls[0]?.id ?? '', result: resultOf(run) };
    case 'compact':
      return { kind: 'compacted', summarised: null };
    case 'lease':
      return { kind: 'leased', result: { status: 'granted', granted: { costUsd: 1e6, tokens: 1e12 } }, isLast: false };
    case 'wait':
    case 'hold':
    case 'hook':
    case 'end':
      throw new Error(`Cannot measure: turn ${run.turn} came to "${decision.kind}"`);
  }
}

/** A list at first, then one read after another; two of three are of something new. */
function replyOf(run: Run): CallModelResult {
  const turn = run.turn + 1;
  const id = `toolu_${turn}`;
  const use = turn === 1 ? { name: TODO, input: { items: PLAN } } : { name: readTool.name, input: {} };
  return {
    message: {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: `${spelt(turn)} is next, as the list says.`, signature: 'signed' },
        { type: 'text', text: `Now I look at ${spelt(turn)}, and then compare it with ${spelt(turn - 1)}.` },
        { type: 'tool_use', id, ...use },
      ],
    },
    stopReason: 'tool_use',
    usage: { input: 0, output: 100, cacheRead: Math.ceil(run.messageBytes / 4), cacheWrite: 0, costUsd: 0.01 },
    calls: [{ id, digest: digestOf(readTool.name, readBy(turn)), summary: `read part ${readBy(turn)}` }],
    model: 'offline-bench',
    requestId: null,
    durationMs: 100,
  };
}

const PLAN = ['Read all parts', 'Compare them', 'Write the report'].map((content, index) => ({
  content,
  status: index === 0 ? 'in_progress' : 'pending',
}));

/** In words, because replies that differ in nothing but numbers count as the same; of about the same length in all turns. */
function spelt(turn: number): string {
  return Array.from(String(turn).padStart(4, '0'), (digit) => DIGITS[Number(digit)]).join('-');
}

const DIGITS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];

/** What a turn reads: in each third what the turn before it read. */
function readBy(turn: number): number {
  return turn % 3 === 0 ? turn - 1 : turn;
}

/** Every hundredth read fails. */
function resultOf({ turn }: Run): Extract<Observation, { kind: 'result' }>['result'] {
  if (turn % 100 === 50) return { status: 'error', error: 'execution_failed', content: 'not there', durationMs: 5 };
  const content = `part ${spelt(readBy(turn))} ${'of many words '.repeat(40)}`;
  return { status: 'success', content, durationMs: 5 };
}
