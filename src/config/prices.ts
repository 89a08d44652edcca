import type { ModelChoice, Price } from '../contract/terms.ts';
import type { MoneySettings } from './budgets.ts';
import { ConfigError } from './config-error.ts';

/** Token counts of one call. */
interface Counts {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export interface PriceQuestion {
  readonly model: Pick<ModelChoice, 'id' | 'offline'>;
  readonly settings: Pick<MoneySettings, 'prices' | 'allowUnpriced'>;
  /** What is known of prices, by a room that is not ours to import; null for a model without a known price. */
  readonly priceUsd: (modelId: string, counts: Counts) => number | null;
}

/**
 * - `free`: an offline model.
 * - `configured`: of the settings, to be frozen as `ModelChoice.price`.
 * - `listed`: this version knows it; `price` is the dearest step, for estimates only, because what a call takes may step
 *   with its size.
 * - `unpriced`: nobody knows, and that is allowed; money is not counted, tokens are.
 */
export type KnownPrice =
  | { readonly kind: 'free' | 'unpriced'; readonly price: null }
  | { readonly kind: 'configured' | 'listed'; readonly price: Price };

/** @throws {ConfigError} nobody knows the price of the model, and nobody allowed that */
export function priceOf({ model, settings, priceUsd }: PriceQuestion): KnownPrice {
  if (model.offline) return { kind: 'free', price: null };
  const { prices = {}, allowUnpriced = false } = settings;
  const configured = Object.hasOwn(prices, model.id) ? prices[model.id] : undefined;
  if (configured !== undefined) return { kind: 'configured', price: configured };
  const listed = dearest((counts) => priceUsd(model.id, counts));
  if (listed !== null) return { kind: 'listed', price: listed };
  if (allowUnpriced) return { kind: 'unpriced', price: null };
  throw new ConfigError('settings', [
    `the price of the model "${model.id}" is not known, so what it costs could not be kept within any limit; expected dollars for a million tokens under prices: {"${model.id}": {input, output, cacheRead, cacheWrite}} in the settings of operator or user, or allowUnpriced: true there`,
  ]);
}

const MILLION = 1_000_000;
const NONE: Counts = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** Measured on a call of a million tokens, which is above every step. */
function dearest(cost: (counts: Counts) => number | null): Price | null {
  const input = cost({ ...NONE, input: MILLION });
  const both = cost({ ...NONE, input: MILLION, output: MILLION });
  const cacheRead = cost({ ...NONE, cacheRead: MILLION });
  const cacheWrite = cost({ ...NONE, cacheWrite: MILLION });
  if (input === null || both === null || cacheRead === null || cacheWrite === null) return null;
  return {
    input: exact(input),
    output: exact(both - input),
    cacheRead: exact(cacheRead),
    cacheWrite: exact(cacheWrite),
  };
}

/** Without the crumbs of dividing and taking away. */
function exact(dollars: number): number {
  return Math.round(dollars * 1e9) / 1e9;
}
