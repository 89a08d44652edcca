import type { CallPurpose } from '../../contract/run.ts';
import type { Usage } from '../../contract/messages.ts';
import { modelFor } from '../aside/model-for.ts';
import { spendOf } from '../budget/reserve.ts';
import { note, type Run } from '../run.ts';
import { pay, tokensOf } from './spending.ts';

/** A model call that brought no reply, and what all its attempts used. */
export interface LostCall {
  readonly purpose: CallPurpose;
  /** Of purpose `compact`: who was to write the summary. */
  readonly by?: 'api' | 'model';
  readonly usage: Usage;
}

/** Counts what a call used that failed for good. It is a call like any other, only that nothing came of it. */
export function payForLost(run: Run, { purpose, by, usage }: LostCall): Run {
  const totals = pay(run.totals, { purpose, model: modelFor(run.spec, purpose, by).id, usage });
  return { ...run, totals, budget: spendOf(run.budget, usage) };
}

/** Tells once for a call what was paid for nothing. `what` says how it came to that. */
export function tellOfLost(run: Run, { what, usage }: { what: string; usage: Usage }, now: number): Run {
  const problem = `${what}; ${tokensOf(usage)} tokens were paid for all the same`;
  return note(run, now, { type: 'model.problem', turn: run.turn, problem });
}
