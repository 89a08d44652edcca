import type { LiveText } from '../contract/activities.ts';
import type { AssistantMessage, Message, StopReason, Usage } from '../contract/messages.ts';
import type { Price } from '../contract/terms.ts';

/** A tool as the model sees it. `inputSchema` is JSON schema whose root is an object. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** The API's own name of a tool that it runs itself, such as `web_search_20250305`. */
  readonly apiType?: string;
}

/**
 * One model call. `system` and `tools` must stay the same for the whole conversation and `messages` may only grow:
 * thinking is signed over all three.
 */
export interface ModelRequest {
  readonly model: string;
  /** Tokens the reply may have, thinking included. */
  readonly maxTokens: number;
  readonly system: string;
  readonly tools: readonly ModelTool[];
  readonly messages: readonly Message[];
  /** `none` asks for words only; the tools are still sent, because thinking is signed over them too. */
  readonly toolChoice: 'auto' | 'none';
  readonly effort?: 'low' | 'medium' | 'high' | 'xhigh' | 'max';
  /**
   * JSON schema that the words of the reply must match. The API takes a part of JSON schema only: every object needs
   * `additionalProperties: false`, and bounds such as `minimum` or `maxLength` are refused.
   */
  readonly format?: Readonly<Record<string, unknown>>;
  /**
   * Asks for a summary of all `messages`, signed by the API, instead of a reply (`wire.ts` says what comes back and how
   * it is sent again). `instructions` take the place of the API's own prompt; at most 16,384 characters. Not with `format`.
   */
  readonly compaction?: { readonly instructions?: string };
  /** What the operator says a token costs; our own list holds when it is left out. */
  readonly price?: Price;
}

/** `message.content` may be empty: the API allows a reply without a block. Run calls only when `stopReason` is `tool_use`. */
export interface ModelReply {
  readonly message: AssistantMessage;
  readonly stopReason: StopReason;
  readonly usage: Usage;
  /** The model that answered, which may be a dated form of the one asked for. */
  readonly model: string;
  readonly requestId: string | null;
}

export interface CallOptions {
  /** Ends the call at once, on the wire too; the promise then rejects with kind `cancelled`. */
  readonly signal: AbortSignal;
  /** Called for each piece of text or thinking. What it throws is ignored: live text is a nicety. */
  readonly onLive: (live: LiveText) => void;
  /**
   * Called with what the call used so far, from the moment the API says what the prompt took. The output is an estimate
   * until the API counts it. What it throws is ignored.
   */
  readonly onUsage?: (usage: Usage) => void;
}

/** A way to a model. Both functions reject with a `ModelError` and with nothing else. */
export interface Model {
  readonly call: (request: ModelRequest, options: CallOptions) => Promise<ModelReply>;
  /** Asks whether the credentials are good and the model exists. Costs no tokens. */
  readonly check: (modelId: string, signal: AbortSignal) => Promise<void>;
}

/**
 * What can be done about a failed call.
 *
 * - `unavailable`: passing; the same call may work later, after `retryAfterMs` if given.
 * - `operator`: a person must mend the credentials or the account first.
 * - `rejected`: the same request will never be taken.
 * - `context`: the conversation is too long for the model; a shorter one may be taken.
 * - `cancelled`: the caller's signal ended it.
 */
export type ModelErrorKind = 'unavailable' | 'operator' | 'rejected' | 'context' | 'cancelled';

export interface ModelErrorDetails {
  readonly kind: ModelErrorKind;
  /** Milliseconds the API asks us to wait, at most ten minutes. */
  readonly retryAfterMs?: number;
  /** Of kind `operator`: what to mend. */
  readonly operator?: 'credentials' | 'credit';
  /** What is billed although the call failed; left out when the API never began to answer. */
  readonly usage?: Usage;
  readonly cause?: unknown;
}

export class ModelError extends Error {
  readonly kind: ModelErrorKind;
  readonly retryAfterMs?: number;
  readonly operator?: 'credentials' | 'credit';
  readonly usage?: Usage;

  constructor(message: string, { kind, retryAfterMs, operator, usage, cause }: ModelErrorDetails) {
    super(message, { cause });
    this.name = 'ModelError';
    this.kind = kind;
    if (retryAfterMs !== undefined) this.retryAfterMs = retryAfterMs;
    if (operator !== undefined) this.operator = operator;
    if (usage !== undefined) this.usage = usage;
  }
}
