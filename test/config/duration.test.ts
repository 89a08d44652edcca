import { expect, test } from 'vitest';
import { parseDuration } from '../../src/config/duration.ts';

const cases: [value: string | number, ms: number | null][] = [
  ['500ms', 500],
  ['20s', 20_000],
  ['5m', 300_000],
  ['24h', 86_400_000],
  ['2d', 172_800_000],
  ['1.5h', 5_400_000],
  [' 3s ', 3_000],
  [1, 1],
  [0, null],
  [-5, null],
  [1.5, null],
  ['0s', null],
  ['-1s', null],
  ['20', null],
  ['', null],
  ['5 m', null],
  ['1w', null],
  ['1e3s', null],
  ['101y', null],
  ['36501d', null],
  ['999999999999999d', null],
  [Number.POSITIVE_INFINITY, null],
];
test.each(cases)('parseDuration(%j) is %j', (value, ms) => {
  expect(parseDuration(value)).toBe(ms);
});
