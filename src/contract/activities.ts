import type { RunEvent } from './events.ts';
import type { CallPurpose } from './run.ts';
import type { Message, StopReason, Usage, AssistantMessage } from './messages.ts';
import type { ToolAnswer, ToolCallResult, ToolErrorKind, ToolQuestion, Touch } from './tool-calls.ts';
import type { RunSpec } from './spec.ts';

/**
 * What of the transcript a step is about: so many messages, from the first. A compaction begins the transcript anew, so a
 * worker that is still replaying may hold as many messages of an earlier one; `compactions` tells them apart. It is left
 * out by runs of versions before 0.3.
 */
export interface TranscriptPart {
  readonly messages: number;
  readonly compactions?: number;
}

/**
 * What a model call is told. Neither the transcript nor the spec is in it: the activity reads both from the cache
 * of its worker, or asks the workflow by query. `messages` says how many messages of the transcript to send.
 */
export interface CallModelInput extends TranscriptPart {
  readonly turn: number;
  readonly purpose: CallPurpose;
  /** Counts calls with the same `turn` and `purpose`, so that a repeat is not answered from the ledger. */
  readonly round: number;
  /** What failed attempts may use before the workflow looks at the budget again: once what the call was reserved at. */
  readonly mayLose?: Amount;
  /** Of purpose `compact`: how many messages, from the first, become a summary, and who writes it. */
  readonly compact?: { readonly messages: number; readonly by: 'api' | 'model' };
}

/** What the worker found out about a call the model asked for, before anything is decided. */
export interface CheckedCall {
  readonly id: string;
  readonly digest: string;
  readonly summary: string;
  /** What it reaches for; left out by a tool of which nothing can be told. */
  readonly touches?: readonly Touch[];
  /** What will happen, for those who approve: a diff, the command, the request. Without secrets. */
  readonly preview?: string;
  /** Over the whole preview as it was before anything was left out. */
  readonly previewDigest?: string;
  /** The arguments without secrets; present only when they hold any. */
  readonly shown?: unknown;
  /** Why this worker cannot confine the call, which then runs only with a person's leave. */
  readonly unconfined?: string;
  /** Present when the call cannot run; the model reads the message. */
  readonly problem?: { readonly kind: ToolErrorKind; readonly message: string };
}

export interface CallModelResult {
  readonly message: AssistantMessage;
  readonly stopReason: StopReason;
  readonly usage: Usage;
  readonly calls: readonly CheckedCall[];
  /** The model that answered, which may be a newer alias than the one asked for. */
  readonly model: string;
  readonly requestId: string | null;
  readonly durationMs: number;
  /**
   * What earlier attempts used whose reply never came whole: the API bills it all the same. Not in `usage`. Left out
   * when nothing was lost. Output that was not counted by the API is estimated, see `CallBeat`.
   */
  readonly lost?: Usage;
}

/** The call itself is found in the transcript by `callId`; `digest` binds what runs to what was decided. */
export interface RunToolInput extends TranscriptPart {
  readonly turn: number;
  readonly index: number;
  readonly callId: string;
  readonly digest: string;
  /** Id of the first execution of the run, which no other run ever has; a run id may be used again on another server. */
  readonly chain?: string;
  readonly attempt?: number;
  readonly grant?: string;
  readonly shown?: string;
  readonly unconfined?: true;
  readonly answers?: readonly ToolAnswer[];
}

/** The end of a call, or what a person must say before it can go on. */
export type RunToolResult =
  | ToolCallResult
  | { readonly status: 'asks'; readonly question: ToolQuestion; readonly durationMs: number };

/**
 * The activities the workflow calls. Tools are called by their own names through the same signature as
 * `runTool`, so that each event in the Temporal UI carries the tool's name.
 */
export interface Activities {
  callModel(input: CallModelInput): Promise<CallModelResult>;
  leaseBudget(input: LeaseInput): Promise<LeaseResult>;
  runHook(input: HookInput): Promise<HookResult>;
}

/**
 * Asks the ledger for a slice of the budgets a run shares with others. `lease` counts up in a run, so that a repeat is
 * the same lease. What was spent of the slices before is settled with it.
 */
export interface LeaseInput {
  readonly lease: number;
  /** At least what the next call may take. */
  readonly wanted: Amount;
  /** Spent of all slices so far, since the start of the run. */
  readonly spent: Amount;
  /** True at the end of the run: nothing is wanted, and what is left goes back. */
  readonly isLast?: boolean;
  /** What a person allowed beyond a cap. `id` is that of the approval, so that it counts once. */
  readonly topUp?: { readonly id: string; readonly cap: string; readonly by: string } & Amount;
}

/** Money in US dollars. */
export interface Amount {
  readonly costUsd: number;
  readonly tokens: number;
}

/** `granted` is never less than what was wanted. */
export type LeaseResult =
  | { readonly status: 'granted'; readonly granted: Amount }
  | { readonly status: 'refused'; readonly cap: string; readonly message: string; readonly left: Amount };

/** What a hook is told, besides what the activity finds in the transcript. */
export interface HookInput extends TranscriptPart {
  readonly hook: string;
  readonly turn: number;
  readonly chain: string;
  /** Tells this moment from others of the same turn. */
  readonly round: number;
  readonly callId?: string;
  /** Of `after_tool`: how the call ended. Of `after_critique`: the verdict. Of `before_stop`: the outcome. */
  readonly about?: unknown;
}

export interface HookResult {
  readonly status: 'ok' | 'denied' | 'failed';
  /** Told to the model with the next message; empty when there is nothing to say. At most 8 KiB. */
  readonly context: string;
  /** Why it denied or failed. */
  readonly reason: string;
  readonly durationMs: number;
}

/** What the workflow hands to the cache of its worker, while running and while replaying. */
export type TranscriptSink = {
  /** A transcript begins anew, after so many compactions. */
  readonly open: (spec: RunSpec, compactions: number) => void;
  readonly append: (from: number, messages: readonly Message[]) => void;
  /** Events nobody was told of before, in order; after a continuation, those it carried come once more. */
  readonly noted: (events: readonly RunEvent[]) => void;
  readonly close: () => void;
};

/** Answer to the query `transcript`: messages from `from` on, as many as fit in a page. */
export interface TranscriptPage {
  readonly from: number;
  readonly messages: readonly Message[];
  readonly total: number;
  /** Compactions so far; each begins the transcript anew. */
  readonly compactions: number;
  /** Present when `from` is 0. */
  readonly spec?: RunSpec;
}

/** Live text of a working activity, shown through its heartbeat: the characters so far, and the last of them. */
export interface LiveText {
  readonly kind: 'text' | 'thinking' | 'output';
  readonly offset: number;
  readonly tail: string;
}

/**
 * What a model call shows through its heartbeat: its live text, and what its requests used so far, by a name of each.
 * The next attempt, on any worker, finds it there and carries it on. Of a reply that is not finished the prompt is as
 * the API counted it, and the output an estimate of the characters that came, four to a token; hidden thinking is more.
 */
export interface CallBeat extends Partial<LiveText> {
  readonly used: RequestsUsed;
}

export type RequestsUsed = Readonly<Record<string, Usage>>;
