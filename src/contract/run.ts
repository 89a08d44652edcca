import type { Approval } from './approvals.ts';
import type { Usage } from './messages.ts';
import type { ToolCallStatus, ToolErrorKind } from './tool-calls.ts';

/** What a run is doing. Each is the name of the decision being performed. */
export type RunState =
  | 'queued'
  | 'planning'
  | 'thinking'
  | 'acting'
  | 'reflecting'
  | 'awaiting_human'
  | 'paused'
  | 'compacting'
  | 'finishing'
  | TerminalState;

export type TerminalState = 'completed' | 'stopped' | 'failed' | 'cancelled';

/**
 * Why a run that completed did so: the model asked for nothing more and owed nothing, it said so itself, its declared
 * outputs were there, a critique said so, or a model that was asked whether the task is done.
 */
export type CompletionCause = 'answered' | 'terminated' | 'outputs_complete' | 'critique' | 'completion_check';

/** Why a run stopped before its goal. */
export type StopCause =
  | 'turns'
  | 'tool_calls'
  | 'active_time'
  | 'tokens'
  | 'cost'
  | 'approval_expired'
  | 'outcome_unknown'
  | 'consecutive_errors'
  | 'refusal'
  | 'max_tokens'
  | 'context'
  | 'paused_too_long'
  | 'loop'
  | 'budget'
  | 'person'
  | 'gave_up'
  | 'outputs_missing';

/** Every way in which a run ends, in one word. */
export type StopReason = CompletionCause | StopCause | 'failed' | 'cancelled';

export type Outcome =
  /** `reason` is left out by runs of versions before 0.3. */
  | { readonly status: 'completed'; readonly reason?: CompletionCause }
  | { readonly status: 'stopped'; readonly reason: StopCause; readonly message: string }
  | { readonly status: 'failed'; readonly error: string; readonly message: string }
  | { readonly status: 'cancelled'; readonly by: string };

/**
 * What a model call is for. Only a `turn` may use tools. `plan` is written before anything is done, `summary` at the
 * end. The others are asides, whose question and answer never enter the transcript: `critique` judges the work,
 * `completion` whether the task is done, `loop` and `loop_confirm` whether the run goes round in circles, and `compact`
 * writes down what old turns did.
 */
export type CallPurpose = 'turn' | 'plan' | 'summary' | 'critique' | 'completion' | 'loop' | 'loop_confirm' | 'compact';

/** What one model was used for, and what that took. */
export interface Spending {
  readonly purpose: CallPurpose;
  readonly model: string;
  readonly calls: number;
  readonly usage: Usage;
}

/** Sums over the whole run, continuations included. Money is US dollars; times are milliseconds. */
export interface Totals {
  readonly turns: number;
  readonly toolCalls: number;
  readonly activeMs: number;
  readonly usage: Usage;
  /** Model calls whose price is not known; `usage.costUsd` leaves them out. */
  readonly unpricedCalls: number;
  readonly denied: number;
  readonly expired: number;
  readonly unknown: number;
  /** Who used what; left out by runs of versions before 0.3. */
  readonly spending?: readonly Spending[];
  /** Reads that found what they had found before, and the bytes that did not have to be sent again. */
  readonly reusedReads?: number;
  readonly reusedBytes?: number;
}

/** What a finished run leaves: the workflow's result, and the same in its memo. */
export interface RunResult {
  readonly runId: string;
  readonly outcome: Outcome;
  /** The last words of the model, or a summary by rule. */
  readonly answer: string;
  readonly totals: Totals;
  /** Left out by runs of versions before 0.3, and so are the next two. */
  readonly stopReason?: StopReason;
  /** What the agent delivered of its declared outputs, by name. */
  readonly outputs?: Readonly<Record<string, unknown>>;
  /** Items of the plan that were blocked at the end. */
  readonly blocked?: readonly string[];
}

/** What a critique decided about the work so far. */
export interface Verdict {
  readonly action: 'continue' | 'retry' | 'replan' | 'complete';
  readonly reason: string;
  /** 0 to 100, as the model says it. */
  readonly confidence: number;
}

/** One item of the agent's plan. At most one is in progress. */
export interface Todo {
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed' | 'blocked';
  /** What is being done while it is in progress, such as "Writing the report". */
  readonly activeForm?: string;
}

/** Why a run waits although nobody asked it to. */
export interface Parking {
  readonly reason: 'credentials' | 'credit' | 'model_unreachable' | 'ledger_unreachable' | 'person';
  readonly message: string;
  readonly since: number;
}

export interface ToolCallView {
  readonly id: string;
  readonly tool: string;
  readonly summary: string;
  readonly status: ToolCallStatus;
  readonly error?: ToolErrorKind;
}

/** Answer to the query `state`. */
export interface RunView {
  readonly runId: string;
  readonly title: string;
  readonly agent: string;
  readonly model: string;
  readonly offline: boolean;
  readonly state: RunState;
  readonly since: number;
  readonly turn: number;
  /** One sentence about now, for lists and for the Temporal UI. */
  readonly now: string;
  readonly calls: readonly ToolCallView[];
  readonly approvals: readonly Approval[];
  readonly parked: Parking | null;
  /** The newest plan; empty without one. */
  readonly plan: string;
  /** The agent's own list of what is to be done. */
  readonly todos: readonly Todo[];
  /** What the agent keeps in mind through compactions; empty without notes. */
  readonly notes: string;
  /** What was delivered of the declared outputs, and the names still missing. */
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly missingOutputs: readonly string[];
  readonly compactions: number;
  readonly totals: Totals;
  readonly queuedMessages: number;
  /** Sequence number of the newest event. */
  readonly lastEvent: number;
  readonly messages: number;
  readonly continuations: number;
  readonly result: RunResult | null;
}

/** What stands in the memo of a run, so that it can be read when no worker answers queries. */
export interface RunMemo {
  readonly title: string;
  readonly agent: string;
  readonly model: string;
  readonly offline: boolean;
  readonly state: RunState;
  readonly now: string;
  readonly totals: Totals;
  /** Open questions; arguments longer than 2,000 characters are cut here, never in the query. */
  readonly approvals: readonly Approval[];
  readonly result: RunResult | null;
}
