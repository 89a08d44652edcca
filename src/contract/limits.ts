/**
 * Sizes at which we act, well before the server does (Temporal 1.29: 2 MiB a payload, 4 MB a message, 50 MiB and
 * 51,200 events a history; past these it ends a run or wedges it for good). Bytes are of UTF-8 JSON.
 */
export const KIB = 1_024;

/** What one tool call may put into the transcript. Tools themselves stop at 50,000 characters. */
export const RESULT_BYTES_MAX = 320 * KIB;

/** What the results of one turn may put into the transcript together. */
export const TURN_RESULTS_BYTES_MAX = 384 * KIB;

/** What one model reply may be; a larger one is thrown away and asked for again, shorter. */
export const REPLY_BYTES_MAX = 512 * KIB;

/** Calls of one turn that run at the same time: their results together stay under 4 MB. */
export const PARALLEL_CALLS_MAX = 8;

/** Calls of one turn that are taken at all; the rest get an error that says so. */
export const CALLS_PER_TURN_MAX = 1_000;

/** What is shown of one call's preview, and of those of one turn together; the arguments are always shown whole. */
export const PREVIEW_BYTES_MAX = 16 * KIB;
export const TURN_PREVIEWS_BYTES_MAX = 128 * KIB;

/** Tools above which a run is warned, and above which most are found by search instead of being sent each time. */
export const TOOLS_WARNED_AT = 20;
export const TOOLS_SENT_MAX = 50;

/** Definitions that servers and commands bring to one run, all together; prompt and task need room in the spec as well. */
export const FOREIGN_TOOLS_BYTES_MAX = 320 * KIB;

/** One message from a person. */
export const MESSAGE_BYTES_MAX = 64 * KIB;

/** Messages that wait for the next turn, all together; more are refused, and the refusal is recorded. */
export const INBOX_BYTES_MAX = 768 * KIB;

/** What the model is shown of the inbox in one turn; the rest waits for the next. */
export const INBOX_DRAIN_BYTES = 128 * KIB;

/** The task alone, and the whole spec with system prompt and tool definitions. */
export const TASK_BYTES_MAX = 128 * KIB;
export const SPEC_BYTES_MAX = 384 * KIB;

/**
 * The transcript as carried from one continuation to the next; more is compacted first. With the spec, a turn's
 * results, the inbox and the events, each at its own limit, a continuation stays under 4 MB even uncompressed.
 */
export const TRANSCRIPT_BYTES_MAX = 2_432 * KIB;

/** The transcript is carried in parts of about this size, because one payload may be 2 MiB at most. */
export const CARRY_PART_BYTES = 1_024 * KIB;

/** One page of a query's answer. */
export const PAGE_BYTES_MAX = 1_024 * KIB;

/** Events kept for readers; older ones are gone from the query (the Temporal history has all). */
export const EVENTS_KEPT_MAX = 1_000;
export const EVENT_BYTES_KEPT_MAX = 192 * KIB;

/** Decided approvals kept, so that a second answer hears who was first. */
export const DECIDED_APPROVALS_KEPT_MAX = 50;

/** Output of one tool, in characters; the rest goes to a file whose path is returned. */
export const TOOL_OUTPUT_CHARACTERS_MAX = 50_000;

/** What a tool asks a person, with what it wants back; a call may ask several times and keeps all of it. */
export const QUESTION_BYTES_MAX = 32 * KIB;

/** What a person writes into an answer. */
export const ANSWER_BYTES_MAX = 32 * KIB;

/** What an agent keeps as notes, its declared outputs (one, and all), and the words of people kept through compactions. */
export const NOTES_BYTES_MAX = 16 * KIB;
export const OUTPUT_BYTES_MAX = 64 * KIB;
export const OUTPUTS_BYTES_MAX = 192 * KIB;
export const INSTRUCTIONS_BYTES_MAX = 96 * KIB;
