import type { Spending } from '../../contract/run.ts';

export const SPENDING_HEAD: readonly string[] = ['PURPOSE', 'MODEL', 'CALLS', 'PROMPT', 'REPLY', 'COST'];

/** Who used what: a row for each purpose and model, the dearest first. Tokens, and US dollars. */
export function spendingRows(spending: readonly Spending[]): readonly (readonly string[])[] {
  return spending
    .toSorted((a, b) => (b.usage.costUsd ?? 0) - (a.usage.costUsd ?? 0))
    .map(({ purpose, model, calls, usage }) => [
      purpose,
      model,
      String(calls),
      group(usage.input + usage.cacheRead + usage.cacheWrite),
      group(usage.output),
      usage.costUsd === null ? 'not known' : `$${usage.costUsd.toFixed(4)}`,
    ]);
}

/** `1,234,567`. */
export function group(count: number): string {
  return count.toLocaleString('en-US');
}
