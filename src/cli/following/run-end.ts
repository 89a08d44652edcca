import type { Reading } from '../../client.ts';
import type { CompletionCause, Outcome, RunResult, RunView, StopCause, Totals } from '../../contract/run.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';

/** Why following a run came to its end. */
export type RunEnd =
  /** The run has ended. `result` is missing when it was terminated from outside. */
  | { readonly kind: 'ended'; readonly result: RunResult | null; readonly closedAs: string }
  /** It waits for a person, or is paused or parked, and whoever follows does not want to wait. */
  | { readonly kind: 'waiting'; readonly view: WaitingView }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'detached' }
  | { readonly kind: 'gone' }
  | { readonly kind: 'unreachable'; readonly message: string };

/** What is known of a run that waits, from itself or from its memo. */
export type WaitingView = Pick<RunView, 'state' | 'now' | 'approvals' | 'totals'> & Partial<Pick<RunView, 'parked'>>;

export interface ExitOptions {
  readonly allowDenied: boolean;
}

/** Limits are one exit code; the other ways in which a run stops before its goal are failures of their own kind. */
const STOP_CODES: Readonly<Record<StopCause, ExitCode>> = {
  turns: EXIT.limit,
  tool_calls: EXIT.limit,
  active_time: EXIT.limit,
  tokens: EXIT.limit,
  cost: EXIT.limit,
  paused_too_long: EXIT.limit,
  max_tokens: EXIT.limit,
  context: EXIT.limit,
  outcome_unknown: EXIT.cancelled,
  approval_expired: EXIT.expired,
  budget: EXIT.limit,
  loop: EXIT.loop,
  person: EXIT.cancelled,
  gave_up: EXIT.gaveUp,
  outputs_missing: EXIT.outputsMissing,
  consecutive_errors: EXIT.tooManyErrors,
  refusal: EXIT.failed,
};

const CLOSED_CODES: Readonly<Record<string, ExitCode>> = {
  COMPLETED: EXIT.done,
  CANCELLED: EXIT.cancelled,
  TERMINATED: EXIT.cancelled,
  TIMED_OUT: EXIT.limit,
};

export function exitCodeOf(end: RunEnd, options: ExitOptions): ExitCode {
  switch (end.kind) {
    case 'ended':
      return end.result === null ? (CLOSED_CODES[end.closedAs] ?? EXIT.failed) : codeOfOutcome(end.result, options);
    case 'waiting':
      return end.view.parked?.reason === 'credentials' ? EXIT.notAllowed : EXIT.waiting;
    default:
      return LEFT_CODES[end.kind];
  }
}

const LEFT_CODES = {
  timeout: EXIT.timeout,
  detached: EXIT.detached,
  gone: EXIT.notFound,
  unreachable: EXIT.unreachable,
} as const;

function codeOfOutcome({ outcome, totals }: RunResult, { allowDenied }: ExitOptions): ExitCode {
  switch (outcome.status) {
    case 'completed':
      return notDone(totals) > 0 && !allowDenied ? EXIT.doneWithoutSome : EXIT.done;
    case 'stopped':
      return STOP_CODES[outcome.reason];
    case 'failed':
      return EXIT.failed;
    case 'cancelled':
      return EXIT.cancelled;
  }
}

/** Calls that did not happen, or of which nobody knows. */
function notDone({ denied, expired, unknown }: Totals): number {
  return denied + expired + unknown;
}

/** The outcome in a few words. */
export function outcomeText(outcome: Outcome): string {
  switch (outcome.status) {
    case 'completed':
      return outcome.reason === undefined ? 'completed' : COMPLETIONS[outcome.reason];
    case 'stopped':
      return `stopped (${outcome.reason}): ${outcome.message}`;
    case 'failed':
      return `failed (${outcome.error}): ${outcome.message}`;
    case 'cancelled':
      return `cancelled by ${outcome.by}`;
  }
}

const COMPLETIONS: Readonly<Record<CompletionCause, string>> = {
  answered: 'completed',
  terminated: 'completed: the agent said that it is done',
  outputs_complete: 'completed: every declared output is there',
  critique: 'completed: a critique says that the goal is reached',
  completion_check: 'completed, and a model that was asked agrees',
};

/** What a reading without a live run tells about its end; null while it is open. */
export function endOfReading(reading: Reading): RunEnd | null {
  switch (reading.kind) {
    case 'ended':
      return { kind: 'ended', result: reading.memo?.result ?? null, closedAs: reading.closedAs };
    case 'gone':
      return { kind: 'gone' };
    case 'unreachable':
      return { kind: 'unreachable', message: reading.message };
    default:
      return null;
  }
}
