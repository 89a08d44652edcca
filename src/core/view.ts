import type { Approval } from '../contract/approvals.ts';
import type { RunMemo, RunState, RunView } from '../contract/run.ts';
import { isOpen } from './calls/call-life.ts';
import { missingOutputs } from './control/outputs.ts';
import { renderTodos } from './control/todos.ts';
import { inputOf } from './calls/calls.ts';
import type { Reflection, Run } from './run.ts';
import { fitText, jsonBytes } from './sizes.ts';
import { spanText, timeText } from './time-text.ts';

/** Bytes of arguments that the memo shows of an open question; the query has them whole. */
const MEMO_ARGUMENTS_BYTES = 2_000;

/** Bytes of the plan in words that the details pane shows; it shows little at once, and the list of what is done says more. */
const DETAILS_PLAN_BYTES = 1_000;

/** Answer to the query `state`. */
export function viewOf(run: Run): RunView {
  const { spec, log, calls, parked, totals, result } = run;
  return {
    runId: spec.runId,
    title: spec.title,
    agent: spec.agent.name,
    model: spec.model.id,
    offline: spec.model.offline,
    state: run.state,
    since: run.since,
    turn: run.turn,
    now: nowText(run),
    calls: calls.map(({ id, tool, summary, status, result: ended }) => ({
      id,
      tool,
      summary,
      status,
      ...(ended?.error !== undefined && { error: ended.error }),
    })),
    approvals: run.approvals.map((approval) => withArguments(run, approval)),
    parked,
    plan: run.plan,
    todos: run.todos,
    notes: run.notes,
    outputs: run.outputs,
    missingOutputs: missingOutputs(run),
    compactions: run.compactions,
    totals,
    queuedMessages: run.inbox.length,
    lastEvent: log.last,
    messages: run.messages.length,
    continuations: run.continuations,
    result,
  };
}

/** What readers get when no worker answers queries. */
export function memoOf(run: Run): RunMemo {
  const { spec, state, totals, result } = run;
  const open = run.approvals.filter(({ status }) => status === 'open').slice(0, 20);
  return {
    title: spec.title,
    agent: spec.agent.name,
    model: spec.model.id,
    offline: spec.model.offline,
    state,
    now: nowText(run),
    totals,
    approvals: open.map((approval) => cutArguments(withArguments(run, approval))),
    result: result && { ...result, answer: fitText(result.answer, 16_000) },
  };
}

function withArguments(run: Run, approval: Approval): Approval {
  if (approval.status !== 'open' || approval.arguments !== null) return approval;
  return { ...approval, arguments: inputOf(run, approval.callId) ?? null };
}

function cutArguments(approval: Approval): Approval {
  if (jsonBytes(approval.arguments) <= MEMO_ARGUMENTS_BYTES) return approval;
  return { ...approval, arguments: fitText(JSON.stringify(approval.arguments), MEMO_ARGUMENTS_BYTES) };
}

/** Whom the run waits for, as a list can be filtered by it; null when it waits for nobody. */
export function waitingFor(run: Run): string | null {
  if (run.result !== null) return null;
  if (run.parked !== null) return `operator: ${run.parked.reason}`;
  if (run.paused !== null) return 'resume';
  if (run.state !== 'awaiting_human') return null;
  const approval = run.approvals.find(({ status }) => status === 'open');
  return approval === undefined ? null : `${approval.kind}: ${approval.about ?? approval.tool}`;
}

/**
 * The state as a list is filtered by it. The states of ordinary work change several times a second and would cost an
 * event each, so in the list they are one: `running`.
 */
export function listedState(state: RunState): string {
  const ordinary: readonly RunState[] = ['planning', 'thinking', 'acting', 'reflecting', 'compacting', 'finishing'];
  return ordinary.includes(state) ? 'running' : state;
}

/** What of its judgement a run is filtered by in a list. */
export interface ListedJudgement {
  readonly stopReason: string | null;
  readonly verdict: string | null;
  readonly loop: string | null;
  readonly redone: number;
}

/** Null for runs of versions before 0.3, whose histories know nothing of it. */
export function judgementOf({ spec, result, verdict, loop, redone }: Run): ListedJudgement | null {
  if (spec.loops === undefined) return null;
  return { stopReason: result?.stopReason ?? null, verdict, loop: loop.ladder.rung, redone };
}

/** One sentence about now. */
export function nowText(run: Run): string {
  const { state, parked, paused, result } = run;
  if (result !== null) return endText(run);
  if (parked !== null) return `parked since ${timeText(parked.since)}: ${parked.message}`;
  if (paused !== null && state === 'paused') return `paused by ${paused.by}`;
  switch (state) {
    case 'thinking':
      return `turn ${run.turn + 1}: the model is thinking`;
    case 'planning':
      return 'the model makes a plan';
    case 'reflecting':
      return `turn ${run.turn}: ${REFLECTIONS[run.reflectOn ?? 'critique']}`;
    case 'acting':
      return `turn ${run.turn}: ${executing(run)}`;
    case 'awaiting_human':
      return waitText(run);
    default:
      return state;
  }
}

const REFLECTIONS: Readonly<Record<Reflection, string>> = {
  critique: 'the work is judged',
  completion: 'a model is asked whether the task is done',
  loop: 'a model is asked whether the run goes round in circles',
  loop_confirm: 'a second model is asked whether the run goes round in circles',
};

function executing(run: Run): string {
  const summaries = run.calls.filter(isOpen).map(({ summary }) => summary);
  const [first = 'tools'] = summaries;
  return summaries.length > 1 ? `${first} and ${summaries.length - 1} more` : first;
}

function waitText(run: Run): string {
  const open = run.approvals.filter(({ status }) => status === 'open');
  const [first] = open;
  if (first === undefined) return 'waiting for a person';
  const then = fateOf(first);
  const more = open.length > 1 ? ` (and ${open.length - 1} more)` : '';
  return `waiting for a person: ${first.title}; ${then} at ${timeText(first.deadline)} if nobody answers${more}`;
}

/** What becomes of a question, or of the run, when nobody answers. */
function fateOf({ fallback, onTimeout, kind }: Approval): string {
  if (fallback !== undefined) return fallback;
  if (onTimeout === 'stop') return 'stopped';
  return kind === 'outcome' ? 'left unknown' : 'denied';
}

function endText({ result }: Run): string {
  const outcome = result?.outcome;
  if (outcome === undefined) return '';
  if (outcome.status === 'completed')
    return outcome.reason === undefined ? 'completed' : `completed (${outcome.reason})`;
  return 'message' in outcome ? `${outcome.status}: ${outcome.message}` : outcome.status;
}

/** Markdown for the details pane of the Temporal UI, which shows little at once: state and spend come first. */
export function detailsOf(run: Run): string {
  const { spec, totals } = run;
  const { input, cacheRead, cacheWrite, output, costUsd } = totals.usage;
  const turns = `${totals.turns} of ${spec.limits.turns} turns, ${totals.toolCalls} of ${spec.limits.toolCalls} tool calls`;
  const tokens = `${input + cacheRead + cacheWrite} prompt and ${output} reply tokens`;
  const lines = [
    `**${run.state}** · ${nowText(run)}${spec.model.offline ? ' · **offline model**' : ''}`,
    '',
    `${turns} · ${tokens} · $${(costUsd ?? 0).toFixed(4)} · ${spanText(totals.activeMs)} of work`,
    ...judgedLine(run),
    ...questionsOf(run),
    ...todosOf(run),
    ...(run.plan === '' ? [] : ['', '### Plan', fitText(run.plan, DETAILS_PLAN_BYTES)]),
  ];
  return lines.join('\n');
}

/** One line about what judged the run so far; none where nothing did. */
function judgedLine(run: Run): readonly string[] {
  const { spec, verdict, redone, loop, compactions } = run;
  const declared = spec.outputs?.length ?? 0;
  const parts = [
    ...(verdict === null ? [] : [`critique: ${verdict}, sent back ${redone} of ${spec.critique.redoMax} times`]),
    ...(loop.ladder.rung === null ? [] : [`loop: ${loop.ladder.rung}`]),
    ...(declared === 0 ? [] : [`${declared - missingOutputs(run).length} of ${declared} outputs`]),
    ...(compactions === 0 ? [] : [`compacted ${compactions} times`]),
  ];
  return parts.length === 0 ? [] : ['', parts.join(' · ')];
}

function questionsOf(run: Run): readonly string[] {
  const open = run.approvals.filter(({ status }) => status === 'open');
  if (open.length === 0) return [];
  const rows = open.map((approval) => {
    const { id, title, deadline, digest } = approval;
    const then = fateOf(approval);
    return `- **${id}** ${title.replace(/[`*_<>|]/gu, ' ')}\n  until ${timeText(deadline)}, then ${then}. \`nightshift approvals show ${id}\` (digest \`${digest.slice(0, 19)}…\`)`;
  });
  return ['', '### Waiting for a person', ...rows];
}

function todosOf({ todos }: Run): readonly string[] {
  if (todos.length === 0) return [];
  const done = todos.filter(({ status }) => status === 'completed').length;
  // Markdown would make a fraction of "4/5", so the count that ends the list stands in words in its heading.
  const lines = renderTodos(todos).slice(0, -1);
  return [
    '',
    `### To do (${done} of ${todos.length} completed)`,
    ...lines.map((line) => `- ${line.replace(/[`*_<|]/gu, ' ')}`),
  ];
}
