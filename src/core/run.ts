import type { Approval } from '../contract/approvals.ts';
import type { Message } from '../contract/messages.ts';
import type {
  CallPurpose,
  CompletionCause,
  Outcome,
  Parking,
  RunResult,
  RunState,
  Todo,
  Totals,
  Verdict,
} from '../contract/run.ts';
import type { RunEventBody } from '../contract/events.ts';
import type { RunSpec } from '../contract/spec.ts';
import type { ToolCall } from '../contract/tool-calls.ts';
import { emptyLog, record, type EventLog } from './events.ts';
import { newBudgetState, type BudgetState } from './budget/state.ts';
import { newHookState, type HookState } from './hooks/hooks.ts';
import type { Termination } from './control/terminate.ts';
import { newLoopState, noChecks, type CheckState, type LoopState, type Matter } from './judgement/state.ts';
import { fitText, jsonBytes } from './sizes.ts';
import { noUsage } from './spending/spending.ts';
import { told } from './told.ts';

/** What a person said and no turn has heard yet. */
export interface QueuedMessage {
  /** Given by the sender, so that a message that had to be sent twice is heard once. */
  readonly id?: string;
  readonly by: string;
  readonly text: string;
}

/** What a person told the agent, unasked or as an answer, kept word for word through every compaction. */
export interface Instruction {
  readonly by: string;
  readonly text: string;
  /** The call and the question that this is the answer to; what was said unasked has none. */
  readonly asked?: { readonly callId: string; readonly title: string };
}

/** What a read found, which still stands in the transcript. */
export interface KeptRead {
  /** Digest of the call. */
  readonly digest: string;
  /** Of what it found. */
  readonly hash: string;
  readonly turn: number;
}

/** What a model may be asked about the work, between turns. */
export type Reflection = Extract<CallPurpose, 'critique' | 'completion' | 'loop' | 'loop_confirm'>;

/**
 * Everything true about a run, and nothing else is: the workflow keeps one of these, each step makes the next, and
 * a continuation carries it. Times are milliseconds since 1970.
 */
export interface Run {
  readonly spec: RunSpec;
  readonly state: RunState;
  readonly since: number;
  readonly messages: readonly Message[];
  readonly messageBytes: number;
  /** Number of the turn in progress, from 1; 0 before the first. */
  readonly turn: number;
  /** Model calls made so far for any purpose; names each one, so that a repeat is a new call. */
  readonly rounds: number;
  /** Calls of the open turn, in the model's order; empty between turns. */
  readonly calls: readonly ToolCall[];
  /** What the results of the open turn take so far. */
  readonly resultBytes: number;
  /** The agent's own plan, and the turn in which it was changed or the agent reminded of it. */
  readonly todos: readonly Todo[];
  readonly todosTurn: number;
  /** What the agent keeps in mind through compactions. */
  readonly notes: string;
  /** Declared outputs that were delivered. */
  readonly outputs: Readonly<Record<string, unknown>>;
  /** The agent ended its run by itself, in the turn that is not closed yet. */
  readonly termination: Termination | null;
  readonly instructions: readonly Instruction[];
  /** Reads whose results still stand in the transcript. */
  readonly reads: readonly KeptRead[];
  /** Tools whose instructions the model has been told. */
  readonly instructed: readonly string[];
  readonly approvals: readonly Approval[];
  readonly approvalsMade: number;
  readonly inbox: readonly QueuedMessage[];
  readonly inboxBytes: number;
  /** Ids of the latest messages taken in. */
  readonly receivedIds: readonly string[];
  readonly totals: Totals;
  /** Replies in a row that could not be used as they were. */
  readonly problems: number;
  /** Prompt and reply tokens of the latest model call: how full the model's window is. */
  readonly windowTokens: number;
  /** The same as the first turn's model call after the latest compaction found it. */
  readonly windowFloor: number;
  readonly compactions: number;
  readonly compactionWanted: boolean;
  readonly paused: { readonly by: string; readonly since: number } | null;
  readonly parked: Parking | null;
  readonly cancelRequested: boolean;
  /** The newest plan, its first 4,000 bytes; empty without one. */
  readonly plan: string;
  /** False while a plan is to be made. */
  readonly planned: boolean;
  /** What a model is asked about the work before the next step. */
  readonly reflectOn: Reflection | null;
  /** Whether the latest reply has been judged by a critique, and by a completion check. */
  readonly judged: boolean;
  readonly checked: boolean;
  /** Times a critique had something done again: in the whole run, and the same step in a row. */
  readonly redone: number;
  readonly retries: number;
  /** What the newest verdict had done. */
  readonly verdict: Verdict['action'] | null;
  /** What the run will have completed by, once it gives its final answer. */
  readonly completing: CompletionCause | null;
  /** Times the agent was told what it still owes. */
  readonly nudges: number;
  /** Turns in a row that ended in nothing but errors. */
  readonly errorsInRow: number;
  readonly checks: CheckState;
  readonly loop: LoopState;
  /** The newest turn that was looked at for loops, so that none is looked at twice. */
  readonly watchedTurn: number;
  /** What a person is asked about the run itself; null while nothing is open. */
  readonly matter: Matter | null;
  readonly budget: BudgetState;
  readonly hooks: HookState;
  /** Decided, but not yet ended: the closing summary may still be to come. */
  readonly ending: Outcome | null;
  readonly summaryAsked: boolean;
  readonly answer: string;
  readonly result: RunResult | null;
  readonly log: EventLog;
  readonly continuations: number;
}

const noTotals: Totals = {
  turns: 0,
  toolCalls: 0,
  activeMs: 0,
  usage: noUsage,
  unpricedCalls: 0,
  denied: 0,
  expired: 0,
  unknown: 0,
};

/** What is true of every run before it has done anything. */
const untouched = {
  state: 'queued',
  turn: 0,
  rounds: 0,
  calls: [],
  resultBytes: 0,
  todos: [],
  todosTurn: 0,
  notes: '',
  outputs: {},
  termination: null,
  instructions: [],
  reads: [],
  instructed: [],
  approvals: [],
  approvalsMade: 0,
  inbox: [],
  inboxBytes: 0,
  receivedIds: [],
  totals: noTotals,
  problems: 0,
  windowTokens: 0,
  windowFloor: 0,
  compactions: 0,
  compactionWanted: false,
  paused: null,
  parked: null,
  cancelRequested: false,
  plan: '',
  reflectOn: null,
  judged: false,
  checked: false,
  redone: 0,
  retries: 0,
  verdict: null,
  completing: null,
  nudges: 0,
  errorsInRow: 0,
  checks: noChecks,
  loop: newLoopState,
  watchedTurn: 0,
  matter: null,
  budget: newBudgetState,
  hooks: newHookState,
  ending: null,
  summaryAsked: false,
  answer: '',
  result: null,
  log: emptyLog,
  continuations: 0,
} as const satisfies Partial<Run>;

/** A run that has done nothing yet: its transcript is the task. */
export function newRun(spec: RunSpec, now: number): Run {
  const task: Message = { role: 'user', content: [{ type: 'text', text: spec.task }] };
  const planned = !spec.planning;
  const run: Run = { ...untouched, spec, since: now, messages: [task], messageBytes: jsonBytes(task), planned };
  const { agent, model } = spec;
  const started = { agent: agent.name, model: model.id, offline: model.offline, task: eventText(spec.task) };
  const begun = note(run, now, { type: 'run.started', ...started });
  return spec.planning && spec.planner === undefined ? sayAsUser(begun, told.planFirst) : begun;
}

/** Appends events to the run's log. */
export function note(run: Run, now: number, ...events: readonly RunEventBody[]): Run {
  return { ...run, log: record(run.log, events, now) };
}

/** Appends one message to the transcript, which is never changed otherwise between compactions. */
export function say(run: Run, message: Message): Run {
  return {
    ...run,
    messages: [...run.messages, message],
    messageBytes: run.messageBytes + jsonBytes(message),
  };
}

/** Appends a user message of one text. */
export function sayAsUser(run: Run, text: string): Run {
  return say(run, { role: 'user', content: [{ type: 'text', text }] });
}

/** What an event shows of a text: its head and tail, 4,000 bytes together. */
export function eventText(text: string): string {
  return fitText(text, 4_000);
}
