import type { Usage } from '../contract/messages.ts';
import type { Price } from '../contract/terms.ts';
import { isOfflineModel, undated } from './facts.ts';

/** `cacheWrite` is the five-minute cache, the only one we ask for. `above` holds for the whole call when its prompt has more than `promptTokens`. */
interface PriceList extends Price {
  readonly above?: { readonly promptTokens: number; readonly price: Price };
}

/**
 * Prices of platform.claude.com on 2026-11-20. Where a page gives none for the cache, the general rule of the
 * prompt-caching page is used: writing costs 1.25 times the input, reading a tenth of it (Fable 5.1, Haiku 4.5, and
 * reading on Haiku 5.5).
 */
const PRICES: Readonly<Record<string, PriceList>> = {
  'claude-fable-5-1': { input: 10, output: 50, cacheWrite: 12.5, cacheRead: 1 },
  'claude-opus-5-5': { input: 4, output: 20, cacheWrite: 5, cacheRead: 0.2 },
  'claude-opus-5': { input: 5, output: 25, cacheWrite: 6.25, cacheRead: 0.5 },
  'claude-sonnet-5-5': { input: 2, output: 10, cacheWrite: 2.5, cacheRead: 0.2 },
  'claude-haiku-5-5': {
    input: 0.1,
    output: 0.5,
    cacheWrite: 0.125,
    cacheRead: 0.01,
    above: { promptTokens: 100_000, price: { input: 0.5, output: 2.5, cacheWrite: 0.625, cacheRead: 0.05 } },
  },
  'claude-haiku-4-5': { input: 1, output: 5, cacheWrite: 1.25, cacheRead: 0.1 },
};

/** Tokens of one call, or of one model's part of it. */
export type TokenCounts = Omit<Usage, 'costUsd'>;

/**
 * What one call costs in US dollars, or null when no price is known. A price that is given holds for every model;
 * without one the offline model costs exactly nothing. Take the counts of a single call: the price of some models
 * steps with the size of the prompt.
 */
export function priceUsd(model: string, usage: TokenCounts, given?: Price): number | null {
  if (given !== undefined) return costOf(usage, given);
  if (isOfflineModel(model)) return 0;
  const id = undated(model);
  const list = Object.hasOwn(PRICES, id) ? PRICES[id] : undefined;
  if (list === undefined) return null;
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  return costOf(usage, list.above !== undefined && prompt > list.above.promptTokens ? list.above.price : list);
}

function costOf(usage: TokenCounts, price: Price): number {
  return (
    (usage.input * price.input +
      usage.output * price.output +
      usage.cacheWrite * price.cacheWrite +
      usage.cacheRead * price.cacheRead) /
    1_000_000
  );
}
