import type { Amount, LeaseInput, LeaseResult } from './activities.ts';
import type { Budget } from './terms.ts';

/** One cap of a run: a counter of the ledger, and the most it may hold of money, of tokens, or of both. */
export type Cap = Budget['caps'][number];

/** What the ledger is asked, for a run. The update's one argument is a list of them, so that a worker asks once for all. */
export interface LedgerRequest {
  /** The run's workflow id. */
  readonly run: string;
  /** The execution that asks. Lease numbers never repeat within one, and after a reset it is another. */
  readonly execution: string;
  readonly caps: readonly Cap[];
  readonly input: LeaseInput;
}

/** `unanswerable`: it cannot be read, or the run has asked for a later lease since; asking again never helps. */
export type LedgerAnswer = LeaseResult | { readonly status: 'unanswerable'; readonly message: string };

/** Requests of one update; with the answers they stay far below what history takes. */
export const REQUESTS_MAX = 100;

/** What the ledger tells readers about one counter. */
export interface CounterView {
  readonly key: string;
  /** As the newest request had it; what is left out has no cap. */
  readonly cap: Partial<Amount>;
  /** What people allowed beyond the cap. */
  readonly toppedUp: Amount;
  /** Handed out to runs that did not say yet what they spent of it. */
  readonly leased: Amount;
  readonly spent: Amount;
}

export interface LedgerView {
  /** By key. */
  readonly counters: readonly CounterView[];
  /** Runs that have a slice, and those that handed it back lately. */
  readonly runs: number;
}
