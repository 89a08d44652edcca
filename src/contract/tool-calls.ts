/**
 * What a tool does to the world, declared by the tool. It decides what a retry after a crash may do.
 *
 * - `read`: changes nothing; may be repeated freely.
 * - `idempotent`: doing it twice is the same as once.
 * - `keyed`: takes a key that is stable across retries, so the other side can drop the second.
 * - `checkable`: can be asked afterwards whether it happened.
 * - `unsafe`: none of these; it is started at most once, and an interrupted one is `unknown`.
 */
export type Effect = 'read' | 'idempotent' | 'keyed' | 'checkable' | 'unsafe';

/** The life of a tool call. The last six are ends. */
export type ToolCallStatus =
  | 'validating'
  | 'scheduled'
  | 'awaiting_approval'
  | 'executing'
  | 'success'
  | 'error'
  | 'denied'
  | 'expired'
  | 'cancelled'
  | 'unknown';

/** The closed set of ways in which a call ends without success. The model and people see the same word. */
export type ToolErrorKind =
  | 'invalid_params'
  | 'tool_not_registered'
  | 'execution_failed'
  | 'timeout'
  | 'file_not_found'
  | 'file_write_failure'
  | 'permission_denied'
  | 'path_not_in_workspace'
  | 'shell_execute_error'
  | 'denied'
  | 'expired'
  | 'cancelled'
  | 'outcome_unknown'
  | 'unhandled_exception';

/** One call the model asked for, as the run sees it. The input itself stays in the transcript. */
export interface ToolCall {
  /** The model's own id (`toolu_…`), which its result must name. */
  readonly id: string;
  /** Position among the calls of its turn, from 0. */
  readonly index: number;
  readonly tool: string;
  readonly effect: Effect;
  /** `sha256:` and 64 hex digits over the canonical JSON of `{tool, input}`. */
  readonly digest: string;
  /** What it does in one line of at most 200 characters, for people. */
  readonly summary: string;
  readonly status: ToolCallStatus;
  /** The policy rule that allowed the call by itself; the tool checks it again on the resolved path. */
  readonly grant?: string;
  readonly result?: ToolCallResult;
}

export interface ToolCallResult {
  readonly status: 'success' | 'error' | 'denied' | 'expired' | 'cancelled' | 'unknown';
  /** What the model reads. At most `RESULT_BYTES_MAX` bytes of JSON. */
  readonly content: string;
  readonly error?: ToolErrorKind;
  /** Milliseconds of work, as measured where it ran. */
  readonly durationMs: number;
}
