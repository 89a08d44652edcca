import { expect, test } from 'vitest';
import { priceUsd, type TokenCounts } from '../../src/models/prices.ts';

const none: TokenCounts = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const M = 1_000_000;

const cases: readonly [string, Partial<TokenCounts>, number | null][] = [
  ['claude-opus-5-5', { input: M }, 4],
  ['claude-opus-5-5', { output: M }, 20],
  ['claude-opus-5-5', { cacheWrite: M }, 5],
  ['claude-opus-5-5', { cacheRead: M }, 0.2],
  ['claude-sonnet-5-5', { input: M, output: M, cacheWrite: M, cacheRead: M }, 14.7],
  ['claude-fable-5-1', { input: M, output: M }, 60],
  ['claude-opus-5', { cacheRead: M }, 0.5],
  ['claude-haiku-4-5-20251001', { input: M, output: M }, 6],
  ['claude-haiku-5-5', { input: 100_000, output: M }, 0.51],
  ['claude-haiku-5-5', { input: 100_001, output: M }, 2.5 + 0.0500005],
  ['claude-haiku-5-5', { cacheRead: 90_000, cacheWrite: 10_001 }, (90_000 * 0.05 + 10_001 * 0.625) / M],
  ['claude-haiku-5-5', { cacheWrite: 100_000 }, 0.0125],
  ['claude-fable-5-2', { input: M }, null],
  ['constructor', { input: M }, null],
  ['offline', { input: M, output: M }, 0],
  ['offline-slow', { input: M }, 0],
];

test.each(cases)('priceUsd(): %s with %o costs %s', (model, usage, expected) => {
  const price = priceUsd(model, { ...none, ...usage });
  if (expected === null) expect(price).toBeNull();
  else expect(price).toBeCloseTo(expected, 10);
});

test.each(['claude-opus-5-5', 'offline', 'of-a-gateway'])('priceUsd(): a price that is given holds for %s', (model) => {
  const given = { input: 3, output: 7, cacheRead: 0.5, cacheWrite: 11 };
  expect(priceUsd(model, { input: M, output: M, cacheRead: M, cacheWrite: M }, given)).toBeCloseTo(21.5, 10);
});
