import type { Usage } from '../../contract/messages.ts';
import type { CallPurpose, Spending, Totals } from '../../contract/run.ts';
import { plus } from './attempts.ts';

export const noUsage: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, costUsd: 0 };

/** One model call, as it is accounted for. */
export interface PaidCall {
  readonly purpose: CallPurpose;
  readonly model: string;
  readonly usage: Usage;
}

/** Adds a model call to the sums. One without a known price adds no money; `unpricedCalls` counts it. */
export function pay(totals: Totals, { purpose, model, usage }: PaidCall): Totals {
  const { spending = [] } = totals;
  const isSame = (one: Spending): boolean => one.purpose === purpose && one.model === model;
  const before = spending.find(isSame) ?? { purpose, model, calls: 0, usage: noUsage };
  const after = { ...before, calls: before.calls + 1, usage: added(before.usage, usage) };
  return {
    ...totals,
    unpricedCalls: totals.unpricedCalls + (usage.costUsd === null ? 1 : 0),
    usage: added(totals.usage, usage),
    spending: [...spending.filter((one) => !isSame(one)), after],
  };
}

/** Model calls made for a purpose, and what they cost in US dollars. */
export function spentOn(totals: Totals, purpose: CallPurpose): { readonly calls: number; readonly costUsd: number } {
  const spent = (totals.spending ?? []).filter((one) => one.purpose === purpose);
  return {
    calls: spent.reduce((sum, { calls }) => sum + calls, 0),
    costUsd: spent.reduce((sum, { usage }) => sum + (usage.costUsd ?? 0), 0),
  };
}

/** Every token of a usage, in and out, cached or not. */
export function tokensOf(usage: Usage): number {
  return usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
}

/** Adds two usages, where money that is not known counts as none. */
function added(one: Usage, other: Usage): Usage {
  return plus({ ...one, costUsd: one.costUsd ?? 0 }, { ...other, costUsd: other.costUsd ?? 0 });
}
