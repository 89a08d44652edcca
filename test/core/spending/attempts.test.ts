import { expect, test } from 'vitest';
import type { RequestsUsed } from '../../../src/contract/activities.ts';
import type { Usage } from '../../../src/contract/messages.ts';
import { isUsage, lostOf, noteUse, plus, sumOf, usedIn } from '../../../src/core/spending/attempts.ts';

const used = (input: number, costUsd: number | null = input): Usage => ({
  input,
  output: 2 * input,
  cacheRead: 0,
  cacheWrite: 1,
  costUsd,
});

test('a request is counted as it was seen last, and the one that was answered is not lost', () => {
  const first = noteUse(noteUse({}, 'r-1', used(1)), 'r-1', used(3));
  const second = noteUse(first, 'r-2', used(5));
  expect(second).toEqual({ 'r-1': used(3), 'r-2': used(5) });
  expect(lostOf(second)).toEqual(plus(used(3), used(5)));
  expect(lostOf(second, 'r-2')).toEqual(used(3));
  expect(lostOf(first, 'r-1')).toBeUndefined();
  expect(lostOf({})).toBeUndefined();
});

test.each([1, 8, 9, 10, 500])('of %s requests few are told apart, and all are counted', (requests) => {
  const names = Array.from({ length: requests }, (_, index) => `r-${index}`);
  const all = names.reduce<RequestsUsed>((sum, name, index) => noteUse(sum, name, used(index + 1)), {});
  expect(Object.keys(all).length).toBeLessThanOrEqual(9);
  expect(lostOf(all)).toEqual(sumOf(names.map((_, index) => used(index + 1))));
  // The newest can still be told apart, so that its reply is not counted twice.
  const newest = names.at(-1) ?? '';
  expect(lostOf(all, newest)).toEqual(sumOf([undefined, ...names.slice(1).map((_, index) => used(index + 1))]));
  expect(JSON.stringify(all).length).toBeLessThan(1_000);
});

test('money is known only where it is known of both', () => {
  expect(plus(used(1, 0.5), used(1, 0.25)).costUsd).toBe(0.75);
  expect(plus(used(1, null), used(1, 0.25)).costUsd).toBeNull();
});

test.each<[name: string, beat: unknown, expected: RequestsUsed]>([
  ['none', undefined, {}],
  ['one of live text alone', { kind: 'text', offset: 3, tail: 'abc' }, {}],
  ['one with usage', { kind: 'text', offset: 3, tail: 'abc', used: { 'r-1': used(1) } }, { 'r-1': used(1) }],
  ['one without a price', { used: { 'r-1': used(1, null) } }, { 'r-1': used(1, null) }],
  ['one that is odd', { used: { a: 1, b: null, c: { input: 'x' }, d: used(2) } }, { d: used(2) }],
  ['text', 'live', {}],
])('what a heartbeat says was used: %s', (_name, beat, expected) => {
  expect(usedIn(beat)).toEqual(expected);
});

test.each([undefined, null, 'credit', {}, { ...used(1), input: Number.NaN }])('%j is no usage', (value) => {
  expect(isUsage(value)).toBe(false);
});
