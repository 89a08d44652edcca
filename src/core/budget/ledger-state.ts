import type { Amount, LeaseResult } from '../../contract/activities.ts';

/** One counter: what runs spent and reserved together under a key. */
export interface Counter {
  readonly cap: Partial<Amount>;
  readonly toppedUp: Amount;
  readonly leased: Amount;
  readonly spent: Amount;
  /** Ids of the newest top-ups, so that none counts twice. */
  readonly topUps: readonly string[];
  /** When it was last asked, in milliseconds since 1970. */
  readonly at: number;
}

/** What the ledger knows of one run. Its open slice is what was granted and not spent. */
export interface Holder {
  readonly execution: string;
  readonly lease: number;
  /** The answer to that lease, for whoever asks again. */
  readonly result: LeaseResult;
  /** The counters that hold its slice. */
  readonly keys: readonly string[];
  /** Both since the start of the run, as the run itself counts. */
  readonly granted: Amount;
  readonly spent: Amount;
  readonly isOpen: boolean;
  readonly at: number;
}

/**
 * What runs spend together. A slice that a run never gives back, because the run is dead, stays reserved until its day
 * has passed.
 */
export interface Ledger {
  readonly counters: Readonly<Record<string, Counter>>;
  readonly holders: Readonly<Record<string, Holder>>;
  readonly prunedAt: number;
}

export const emptyLedger: Ledger = { counters: {}, holders: {}, prunedAt: 0 };

/** What one ledger keeps at most: with both full it is still carried from one execution to the next in one payload. */
export const COUNTERS_MAX = 1_000;
export const HOLDERS_MAX = 2_000;
