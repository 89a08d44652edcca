import type { Amount } from '../../contract/activities.ts';

/**
 * Sums of money are kept to a billionth of a dollar, so that adding and taking away many times leaves no crumbs and two
 * equal sums are equal.
 */
const PARTS = 1e9;

export const nothing: Amount = { costUsd: 0, tokens: 0 };

export function amountOf(costUsd: number, tokens: number): Amount {
  return { costUsd: Math.round(costUsd * PARTS) / PARTS, tokens: Math.round(tokens) };
}

export function plus(a: Amount, b: Amount): Amount {
  return amountOf(a.costUsd + b.costUsd, a.tokens + b.tokens);
}

/** What `b` leaves of `a`; never less than nothing. */
export function minus(a: Amount, b: Amount): Amount {
  return amountOf(Math.max(0, a.costUsd - b.costUsd), Math.max(0, a.tokens - b.tokens));
}

/** The larger of the two, of money and of tokens each. */
export function larger(a: Amount, b: Amount): Amount {
  return amountOf(Math.max(a.costUsd, b.costUsd), Math.max(a.tokens, b.tokens));
}

export function isWithin(a: Amount, b: Amount): boolean {
  return a.costUsd <= b.costUsd && a.tokens <= b.tokens;
}
