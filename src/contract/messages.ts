/**
 * The conversation, in the shape of the Messages API.
 *
 * Blocks are kept exactly as the model sent them, unknown kinds included: thinking is signed over everything
 * before it, so a block that is dropped or reordered makes the next call a 400.
 */

export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
}

export interface ThinkingBlock {
  readonly type: 'thinking';
  readonly thinking: string;
  readonly signature: string;
}

export interface RedactedThinkingBlock {
  readonly type: 'redacted_thinking';
  readonly data: string;
}

export interface ToolUseBlock {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export interface ToolResultBlock {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  readonly content: string;
  readonly is_error?: boolean;
}

/** A block kind this version does not know. It is stored and echoed untouched. */
export interface OtherBlock {
  readonly type: 'other';
  readonly block: Readonly<Record<string, unknown>>;
}

export type AssistantBlock = TextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock | OtherBlock;
export type UserBlock = TextBlock | ToolResultBlock;

export interface AssistantMessage {
  readonly role: 'assistant';
  readonly content: readonly AssistantBlock[];
}

export interface UserMessage {
  readonly role: 'user';
  readonly content: readonly UserBlock[];
}

export type Message = AssistantMessage | UserMessage;

/** What one model call used. Token counts; the prompt is `input + cacheRead + cacheWrite`. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** US dollars; `null` when no price is known for the model. */
  readonly costUsd: number | null;
}

/**
 * Why the model stopped, as the API says it. A reason this version does not know arrives as it is, and is
 * treated as the end of the turn without running any call.
 */
export type StopReason =
  | 'end_turn'
  | 'tool_use'
  | 'max_tokens'
  | 'stop_sequence'
  | 'pause_turn'
  | 'refusal'
  | 'model_context_window_exceeded'
  | (string & {});
