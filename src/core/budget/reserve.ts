import type { Amount, LeaseInput, LeaseResult } from '../../contract/activities.ts';
import type { Usage } from '../../contract/messages.ts';
import type { RunSpec } from '../../contract/spec.ts';
import type { ModelChoice } from '../../contract/terms.ts';
import { note, type Run } from '../run.ts';
import { tokensOf } from '../spending/spending.ts';
import { amountOf, nothing } from './amount.ts';
import { atCap } from './at-cap.ts';
import { capOf } from './keys.ts';
import { answered, covers, estimateCall, nextLease, spend, type Refusal } from './purse.ts';
import type { BudgetState } from './state.ts';

/** Characters of JSON that make about one token, for what was said since the API last counted. */
const BYTES_PER_TOKEN = 3;

/** The lease a run needs before it may make a model call, or null when its purse covers the call. */
export function leaseFor(run: Run, model: ModelChoice): LeaseInput | null {
  const { purse, topUp } = run.budget;
  if (run.spec.budget?.ledger === undefined) return null;
  const wanted = estimate(run, model);
  if (topUp === null && covers(purse, wanted)) return null;
  return nextLease(purse, wanted, topUp === null ? {} : { topUp });
}

/** What goes back to the ledger when the run has ended; null when nothing was leased or it went back already. */
export function lastLease({ spec, budget: { purse, asked, isReturned } }: Run): LeaseInput | null {
  if (spec.budget?.ledger === undefined || asked === 0 || isReturned === true) return null;
  // A cancelled run may have missed the answer to its latest lease, and a repeat of it would only hear that again.
  return { ...nextLease(purse, nothing, { isLast: true }), lease: asked + 1 };
}

/** What failed attempts of a call may use until its budget is looked at again; undefined where none is kept. */
export function mayLose(run: Run, model: ModelChoice): Amount | undefined {
  return run.spec.budget === undefined ? undefined : estimate(run, model);
}

function estimate(
  { messageBytes, windowTokens, spec }: Run,
  { maxTokens, price, priceCeiling = price }: ModelChoice,
): Amount {
  const bytes = messageBytes + toolsLength(spec) + spec.system.length;
  const promptTokens = Math.max(windowTokens, Math.ceil(bytes / BYTES_PER_TOKEN));
  return estimateCall({ promptTokens, replyTokens: maxTokens, price: priceCeiling ?? null });
}

/** Characters of the tools as JSON. They never change within a run, so they are counted once. */
function toolsLength({ tools }: RunSpec): number {
  const known = lengths.get(tools);
  if (known !== undefined) return known;
  const { length } = JSON.stringify(tools);
  lengths.set(tools, length);
  return length;
}

const lengths = new WeakMap<RunSpec['tools'], number>();

/** Takes what a call used out of the purse. */
export function spendOf(budget: BudgetState, usage: Usage): BudgetState {
  return { ...budget, purse: spend(budget.purse, amountOf(usage.costUsd ?? 0, tokensOf(usage))) };
}

/** Takes the ledger's answer. A refusal is put before a person, or stops the run. */
export function applyLease(
  run: Run,
  { result, isLast }: { readonly result: LeaseResult; readonly isLast: boolean },
  now: number,
): Run {
  const { budget } = run;
  const kept: Run = { ...run, budget: { ...budget, purse: answered(budget.purse, result), topUp: null } };
  if (isLast) return { ...kept, budget: { ...kept.budget, isReturned: true } };
  if (result.status === 'granted') return note(kept, now, { type: 'budget.leased', ...result.granted });
  // Only its last words were to be paid, and no person is waited for on their account.
  return run.ending?.status === 'stopped' ? kept : atSharedCap(kept, result, now);
}

function atSharedCap(run: Run, { cap: key, message }: Refusal, now: number): Run {
  const configured = capOf(run.spec.budget?.caps ?? [], key);
  const cap = { key, costUsd: configured?.costUsd ?? 0, tokens: configured?.tokens ?? 0 };
  return atCap(run, { cap, message }, now);
}
