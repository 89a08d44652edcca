import { describe, expect, test } from 'vitest';
import { answered, covers, emptyPurse, estimateCall, nextLease, spend } from '../../../src/core/budget/purse.ts';

const amount = (costUsd: number, tokens: number): { costUsd: number; tokens: number } => ({ costUsd, tokens });
const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

describe('estimateCall()', () => {
  const sizes: [name: string, size: Parameters<typeof estimateCall>[0], estimate: ReturnType<typeof estimateCall>][] = [
    [
      'takes the whole prompt as written to the cache',
      { promptTokens: 1_000_000, replyTokens: 0, price },
      amount(3.75, 1_000_000),
    ],
    ['takes the reply as long as it may be', { promptTokens: 0, replyTokens: 2_000, price }, amount(0.03, 2_000)],
    ['counts only tokens without a price', { promptTokens: 10, replyTokens: 5, price: null }, amount(0, 15)],
  ];
  test.each(sizes)('%s', (_name, size, estimate) => {
    expect(estimateCall(size)).toEqual(estimate);
  });
});

describe('a purse', () => {
  const full = answered(emptyPurse, { status: 'granted', granted: amount(0.1, 1_000) });

  const coverings: [name: string, estimate: ReturnType<typeof amount>, isCovered: boolean][] = [
    ['what it has', amount(0.1, 1_000), true],
    ['no more money', amount(0.11, 1_000), false],
    ['no more tokens', amount(0.1, 1_001), false],
  ];
  test.each(coverings)('covers %s', (_name, estimate, isCovered) => {
    expect(covers(full, estimate)).toBe(isCovered);
  });

  test('that is empty covers only what costs nothing', () => {
    expect([covers(emptyPurse, amount(0, 0)), covers(emptyPurse, amount(0, 1))]).toEqual([true, false]);
  });

  test('has exactly the new slice after a call that took too much, and none of the old one', () => {
    const over = answered(spend(full, amount(0.5, 1)), { status: 'granted', granted: amount(0.2, 10) });
    expect([covers(over, amount(0.2, 10)), covers(over, amount(0.2, 11))]).toEqual([true, false]);
  });

  test('that was refused keeps what it has, and forgets the refusal when it is granted', () => {
    const refusal = { cap: 'day:2026-11-21', message: 'used up', left: amount(0, 0) };
    const refused = answered(full, { status: 'refused', ...refusal });
    expect(refused).toMatchObject({ refused: refusal, leases: 2 });
    expect(covers(refused, amount(0.1, 1_000))).toBe(true);
    expect(answered(refused, { status: 'granted', granted: amount(1, 1) }).refused).toBeNull();
  });

  test('numbers its leases and says what was spent in all', () => {
    const purse = spend(spend(full, amount(0.01, 1)), amount(0.02, 2));
    expect(nextLease(purse, amount(1, 1))).toEqual({ lease: 2, wanted: amount(1, 1), spent: amount(0.03, 3) });
    expect(nextLease(purse, amount(0, 0), { isLast: true })).toMatchObject({ lease: 2, isLast: true });
  });
});
