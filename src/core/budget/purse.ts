import type { Amount, LeaseInput, LeaseResult } from '../../contract/activities.ts';
import type { Price } from '../../contract/terms.ts';
import { amountOf, isWithin, minus, nothing, plus } from './amount.ts';

/**
 * The run's side of the shared budgets, as plain data of the run. Before a model call: `covers(purse, estimateCall(…))`;
 * if not, `nextLease` goes to the activity and its answer back by `answered`; after the call, `spend`. Nothing may be
 * spent between asking and the answer.
 */
export interface Purse {
  /** Both since the start of the run; what lies between them may be spent. */
  readonly granted: Amount;
  readonly spent: Amount;
  /** Answers of the ledger so far. */
  readonly leases: number;
  /** Why the ledger gave nothing, until it gives again. */
  readonly refused: Refusal | null;
}

export type Refusal = Omit<Extract<LeaseResult, { readonly status: 'refused' }>, 'status'>;

export const emptyPurse: Purse = { granted: nothing, spent: nothing, leases: 0, refused: null };

export interface CallSize {
  readonly promptTokens: number;
  /** The most the reply may have. */
  readonly replyTokens: number;
  /** Null where a price is not known and needs not be, and for a model that costs nothing. */
  readonly price: Price | null;
}

/** The most a call may take: nothing is found in the cache, and the reply is as long as it may be. */
export function estimateCall({ promptTokens, replyTokens, price }: CallSize): Amount {
  const { input, output, cacheRead, cacheWrite } = price ?? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const perPromptToken = Math.max(input, cacheRead, cacheWrite);
  return amountOf((promptTokens * perPromptToken + replyTokens * output) / 1_000_000, promptTokens + replyTokens);
}

export function covers(purse: Purse, estimate: Amount): boolean {
  return isWithin(estimate, minus(purse.granted, purse.spent));
}

/** Counts one attempt of a call, whether it was of use or not. */
export function spend(purse: Purse, used: Amount): Purse {
  return { ...purse, spent: plus(purse.spent, used) };
}

/** Takes the ledger's answer. */
export function answered(purse: Purse, result: LeaseResult): Purse {
  return result.status === 'granted' ? granted(purse, result.granted) : refused(purse, result);
}

/** What the activity `leaseBudget` is asked. `isLast` hands everything back, at the end or before a long wait. */
export function nextLease(purse: Purse, wanted: Amount, extra: Pick<LeaseInput, 'isLast' | 'topUp'> = {}): LeaseInput {
  return { ...extra, lease: purse.leases + 1, wanted, spent: purse.spent };
}

/** A new slice takes the place of what was left. With `nothing`, all was handed back. */
function granted(purse: Purse, slice: Amount): Purse {
  return { ...purse, granted: plus(purse.spent, slice), leases: purse.leases + 1, refused: null };
}

/** What was left stays. */
function refused(purse: Purse, refusal: Refusal): Purse {
  const { cap, message, left } = refusal;
  return { ...purse, leases: purse.leases + 1, refused: { cap, message, left } };
}
