import type { Amount } from '../../contract/activities.ts';
import { emptyPurse, type Purse } from './purse.ts';

/** What a run knows of money: its purse of leased slices, and what people allowed beyond its own limits. */
export interface BudgetState {
  readonly purse: Purse;
  readonly raised: Amount;
  /** What a person allowed beyond a shared cap, until the ledger has heard of it. */
  readonly topUp: ({ readonly id: string; readonly cap: string; readonly by: string } & Amount) | null;
  /** Number of the latest lease that was asked for, whether its answer came or not; 0 before the first. */
  readonly asked: number;
  /** What was left has gone back to the ledger. */
  readonly isReturned?: true;
}

export const newBudgetState: BudgetState = {
  purse: emptyPurse,
  raised: { costUsd: 0, tokens: 0 },
  topUp: null,
  asked: 0,
};
