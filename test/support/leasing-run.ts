import type { LedgerDesk, LedgerPlace } from '../../src/activities/ledger-desk.ts';
import type { Amount } from '../../src/contract/activities.ts';
import type { Cap } from '../../src/contract/budget.ts';
import { answered, covers, emptyPurse, nextLease, spend, type Purse } from '../../src/core/budget/purse.ts';

export interface LeasingRun {
  readonly desk: LedgerDesk;
  readonly place: LedgerPlace;
  readonly run: string;
  readonly caps: readonly Cap[];
  /** How many it makes, when the ledger lets it. */
  readonly calls: number;
  readonly estimate: Amount;
  /** What a call then takes. */
  readonly takes: () => Amount;
  /** True when it asks before every call, whatever it has. */
  readonly asksEachTime?: boolean;
}

export interface LeasedRun {
  readonly purse: Purse;
  readonly calls: number;
}

/** Spends as an agent run does, through the real ledger, until its calls are made or the ledger refuses; then hands back. */
export async function spendAsRun(run: LeasingRun): Promise<LeasedRun> {
  const { desk, place, caps, estimate } = run;
  const who = { run: run.run, execution: `${run.run}-1`, caps };
  let purse = emptyPurse;
  let calls = 0;
  for (; calls < run.calls; calls += 1) {
    if (run.asksEachTime === true || !covers(purse, estimate))
      purse = answered(purse, await desk(place, { ...who, input: nextLease(purse, estimate) }));
    if (purse.refused !== null) break;
    purse = spend(purse, run.takes());
  }
  await desk(place, { ...who, input: nextLease(purse, { costUsd: 0, tokens: 0 }, { isLast: true }) });
  return { purse, calls };
}
