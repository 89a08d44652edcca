import { expect, test } from 'vitest';
import { retryAfterMs } from '../../src/models/retry-after.ts';

const now = Date.parse('2026-11-20T12:00:00Z');

test.each([
  [{}, undefined],
  [{ 'retry-after': '2' }, 2_000],
  [{ 'retry-after': '0.5' }, 500],
  [{ 'retry-after': 'Fri, 20 Nov 2026 12:00:30 GMT' }, 30_000],
  [{ 'retry-after': 'Fri, 20 Nov 2026 11:00:00 GMT' }, undefined],
  [{ 'retry-after': '0' }, undefined],
  [{ 'retry-after': '-5' }, undefined],
  [{ 'retry-after': '' }, undefined],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after': '2', 'retry-after-ms': '150' }, 150],
  [{ 'retry-after': '2', 'retry-after-ms': '-1' }, 2_000],
  [{ 'retry-after': '99999999999999' }, 600_000],
  [{ 'retry-after': 'Infinity' }, 600_000],
])('retryAfterMs(): %o is %s', (headers, expected) => {
  expect(retryAfterMs(new Headers(headers as Record<string, string>), now)).toBe(expected);
});

test('retryAfterMs(): no headers are no wish', () => {
  expect(retryAfterMs(undefined, now)).toBeUndefined();
});
