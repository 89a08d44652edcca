import type { Message, StopReason, Usage, AssistantMessage } from './messages.ts';
import type { ToolCallResult, ToolErrorKind } from './tool-calls.ts';
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
  readonly grant?: string;
}

export type RunToolResult = ToolCallResult;

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
