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

/**
 * What a call reaches for, as far as the worker can tell before it runs. Policy rules are about these.
 *
 * - `command`: one simple command of a shell line, its words joined by spaces. `text` begins with the variables set for
 *   it (`A=1 npm test`), `bare` leaves them out.
 * - `path`: relative to the workspace, links resolved; absolute when it lies outside.
 * - `domain`: a host name or address, in lower case.
 * - `opaque`: something that cannot be told, such as a shell line that does not parse.
 */
export type Touch =
  | { readonly kind: 'command'; readonly text: string; readonly bare: string }
  | { readonly kind: 'path'; readonly path: string; readonly access: 'read' | 'write' }
  | { readonly kind: 'domain'; readonly host: string }
  | { readonly kind: 'opaque'; readonly why: string };

/**
 * What a tool must know from a person before it can go on, such as the elicitation of an MCP server. At most
 * `QUESTION_BYTES_MAX` bytes of JSON.
 */
export interface ToolQuestion {
  /** Words of the tool or its server, not ours. */
  readonly message: string;
  /** One of these, or words when there are none. */
  readonly options: readonly { readonly id: string; readonly label: string }[];
  /** What the tool wants back with the answer. */
  readonly state: string;
}

/** What a person said to a `ToolQuestion`. */
export interface ToolAnswer {
  readonly action: 'accept' | 'decline' | 'cancel';
  /** The id of an option, or the words. */
  readonly text?: string;
  readonly state: string;
}

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
  /** The policy rule that allowed the call by itself; what is really touched is judged again where it runs. */
  readonly grant?: string;
  /** Digest of the preview a person approved; what runs must still have the same. */
  readonly shown?: string;
  /** A person allowed it to run although the worker cannot confine it. */
  readonly unconfined?: true;
  /** Counts the times the call was started anew by a person's word, from 1. */
  readonly attempt?: number;
  /** The call is not told to the model yet: a person is asked about it. */
  readonly open?: OpenOutcome;
  /** What people said to the questions of the tool, in order. */
  readonly answers?: readonly ToolAnswer[];
  /** It may be repeated as often as the agent likes: the spec declares it. */
  readonly repeats?: true;
  /** Names of the operator's hooks that are still to be run before it, and of those after it. */
  readonly before?: readonly string[];
  readonly after?: readonly string[];
  readonly result?: ToolCallResult;
}

/** Why a call that was started waits for a person. */
export type OpenOutcome =
  | { readonly kind: 'unknown'; readonly result: ToolCallResult }
  | { readonly kind: 'question'; readonly question: ToolQuestion };

export interface ToolCallResult {
  readonly status: 'success' | 'error' | 'denied' | 'expired' | 'cancelled' | 'unknown';
  /** What the model reads. At most `RESULT_BYTES_MAX` bytes of JSON. */
  readonly content: string;
  readonly error?: ToolErrorKind;
  /** Milliseconds of work, as measured where it ran. */
  readonly durationMs: number;
}
