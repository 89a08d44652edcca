import type { Message, StopReason, Usage, AssistantMessage } from './messages.ts';
import type { ToolAnswer, ToolCallResult, ToolErrorKind, ToolQuestion, Touch } from './tool-calls.ts';
import type { RunSpec } from './spec.ts';

/**
 * What a model call is for. Only a `turn` may use tools. `plan` is written before anything is done, `summary` at the
 * end, and `critique` is an aside: its question and its answer never enter the transcript.
 */
export type CallPurpose = 'turn' | 'plan' | 'summary' | 'critique';

/**
 * What a model call is told. Neither the transcript nor the spec is in it: the activity reads both from the cache
 * of its worker, or asks the workflow by query. `messages` says how many messages of the transcript to send.
 */
export interface CallModelInput {
  readonly turn: number;
  readonly messages: number;
  readonly purpose: CallPurpose;
  /** Counts calls with the same `turn` and `purpose`, so that a repeat is not answered from the ledger. */
  readonly round: number;
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
}

/** The call itself is found in the transcript by `callId`; `digest` binds what runs to what was decided. */
export interface RunToolInput {
  readonly turn: number;
  readonly index: number;
  readonly callId: string;
  readonly digest: string;
  readonly messages: number;
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
}

/** What the workflow hands to the cache of its worker, while running and while replaying. */
export type TranscriptSink = {
  readonly open: (spec: RunSpec) => void;
  readonly append: (from: number, messages: readonly Message[]) => void;
  readonly close: () => void;
};

/** Answer to the query `transcript`: messages from `from` on, as many as fit in a page. */
export interface TranscriptPage {
  readonly from: number;
  readonly messages: readonly Message[];
  readonly total: number;
  /** Present when `from` is 0. */
  readonly spec?: RunSpec;
}

/** Live text of a working activity, shown through its heartbeat: the characters so far, and the last of them. */
export interface LiveText {
  readonly kind: 'text' | 'thinking' | 'output';
  readonly offset: number;
  readonly tail: string;
}
