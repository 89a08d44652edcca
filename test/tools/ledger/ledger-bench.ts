import type { Effect } from '../../../src/contract/tool-calls.ts';
import {
  identifyHolder,
  openLedger,
  type CallClaim,
  type Holder,
  type Ledger,
} from '../../../src/tools/ledger/ledger.ts';
import { temporaryFolder } from '../situation.ts';

export interface Bench {
  readonly root: string;
  readonly ledger: Ledger;
  readonly holder: Holder;
  /** Always the same call of the same run. */
  readonly call: (effect: Effect) => CallClaim;
}

/** A ledger beside an empty workspace. */
export async function bench(): Promise<Bench> {
  const root = await temporaryFolder();
  const [ledger, holder] = [await openLedger(root), await identifyHolder('here')];
  const run = `run-${Date.now()}-${Math.random()}`;
  return { root, ledger, holder, call: (effect) => ({ run, call: 'call', effect, holder }) };
}
