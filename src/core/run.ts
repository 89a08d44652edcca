import type { Approval } from '../contract/approvals.ts';
import type { Message, Usage } from '../contract/messages.ts';
import type { Outcome, Parking, RunResult, RunState, Todo, Totals } from '../contract/run.ts';
import type { RunEventBody } from '../contract/events.ts';
import type { RunSpec } from '../contract/spec.ts';
import type { ToolCall } from '../contract/tool-calls.ts';
import { emptyLog, record, type EventLog } from './events.ts';
import { fitText, jsonBytes } from './sizes.ts';
import { told } from './told.ts';

/** What a person said and no turn has heard yet. */
export interface QueuedMessage {
  /** Given by the sender, so that a message that had to be sent twice is heard once. */
  readonly id?: string;
  readonly by: string;
  readonly text: string;
}

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
  /** The agent's own list of what is to be done. */
  readonly todos: readonly Todo[];
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
  readonly compactions: number;
  readonly compactionWanted: boolean;
  readonly paused: { readonly by: string; readonly since: number } | null;
  readonly parked: Parking | null;
  readonly cancelRequested: boolean;
  /** The newest plan, its first 4,000 bytes; empty without one. */
  readonly plan: string;
  /** False while a plan is to be made. */
  readonly planned: boolean;
  /** True when the work so far is to be judged before the next step. */
  readonly toReflect: boolean;
  /** Whether the latest reply has been judged. */
  readonly judged: boolean;
  /** Times a critique had something done again. */
  readonly redone: number;
  /** Decided, but not yet ended: the closing summary may still be to come. */
  readonly ending: Outcome | null;
  readonly summaryAsked: boolean;
  readonly answer: string;
  readonly result: RunResult | null;
  readonly log: EventLog;
  readonly continuations: number;
}

const noUsage: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, costUsd: 0 };

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

/** A run that has done nothing yet: its transcript is the task. */
export function newRun(spec: RunSpec, now: number): Run {
  const task: Message = { role: 'user', content: [{ type: 'text', text: spec.task }] };
  const run: Run = {
    spec,
    state: 'queued',
    since: now,
    messages: [task],
    messageBytes: jsonBytes(task),
    turn: 0,
    rounds: 0,
    calls: [],
    resultBytes: 0,
    todos: [],
    instructed: [],
    approvals: [],
    approvalsMade: 0,
    inbox: [],
    inboxBytes: 0,
    receivedIds: [],
    totals: noTotals,
    problems: 0,
    windowTokens: 0,
    compactions: 0,
    compactionWanted: false,
    paused: null,
    parked: null,
    cancelRequested: false,
    plan: '',
    planned: !spec.planning,
    toReflect: false,
    judged: false,
    redone: 0,
    ending: null,
    summaryAsked: false,
    answer: '',
    result: null,
    log: emptyLog,
    continuations: 0,
  };
  const { agent, model } = spec;
  const started = { agent: agent.name, model: model.id, offline: model.offline, task: eventText(spec.task) };
  const begun = note(run, now, { type: 'run.started', ...started });
  return spec.planning ? sayAsUser(begun, told.planFirst) : begun;
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

/** Sum of two usages. A call without a known price adds no money; `unpricedCalls` counts it. */
export function addUsage(totals: Totals, usage: Usage): Totals {
  const sum = totals.usage;
  return {
    ...totals,
    unpricedCalls: totals.unpricedCalls + (usage.costUsd === null ? 1 : 0),
    usage: {
      input: sum.input + usage.input,
      output: sum.output + usage.output,
      cacheRead: sum.cacheRead + usage.cacheRead,
      cacheWrite: sum.cacheWrite + usage.cacheWrite,
      costUsd: (sum.costUsd ?? 0) + (usage.costUsd ?? 0),
    },
  };
}

/** Every token of the run, in and out, cached or not. */
export function tokensOf(usage: Usage): number {
  return usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
}

/** What an event shows of a text: its head and tail, 4,000 bytes together. */
export function eventText(text: string): string {
  return fitText(text, 4_000);
}
