import type { Amount } from '../../contract/activities.ts';
import type { CounterView } from '../../contract/budget.ts';

export const BUDGET_HEAD: readonly string[] = ['BUDGET', 'CAP', 'TOPPED UP', 'SPENT', 'LEASED', 'LEFT'];

/** What is spent and leased is shown in both units, the rest in those that have a cap. */
export function budgetRow(counter: CounterView): readonly string[] {
  const { key, cap, toppedUp, spent, leased } = counter;
  const isAny = toppedUp.costUsd > 0 || toppedUp.tokens > 0;
  return [
    key,
    amountText(cap),
    isAny ? amountText(toppedUp) : '',
    amountText(spent),
    amountText(leased),
    amountText(leftOf(counter)),
  ];
}

/** What may still be leased; nothing is said where there is no cap. Never less than nothing. */
export function leftOf({ cap, toppedUp, spent, leased }: CounterView): Partial<Amount> {
  const left = (unit: keyof Amount): number =>
    Math.max(0, (cap[unit] ?? 0) + toppedUp[unit] - spent[unit] - leased[unit]);
  return {
    ...(cap.costUsd !== undefined && { costUsd: left('costUsd') }),
    ...(cap.tokens !== undefined && { tokens: left('tokens') }),
  };
}

function amountText({ costUsd, tokens }: Partial<Amount>): string {
  const parts = [
    ...(costUsd === undefined ? [] : [`$${costUsd.toFixed(2)}`]),
    ...(tokens === undefined ? [] : [`${tokens.toLocaleString('en-US')} tokens`]),
  ];
  return parts.join(', ');
}
