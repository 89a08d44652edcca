import { InvalidArgumentError } from 'commander';
import { expect, test } from 'vitest';
import { countFlag, dollarsFlag, durationFlag, durationOrNeverFlag, listFlag } from '../../src/cli/flags.ts';

const good: [name: string, got: unknown, expected: unknown][] = [
  ['seconds', durationFlag('20s'), 20_000],
  ['minutes', durationFlag('30m'), 1_800_000],
  ['plain milliseconds', durationFlag('1500'), 1_500],
  ['zero is never', durationOrNeverFlag('0'), 0],
  ['a duration beside never', durationOrNeverFlag('1h'), 3_600_000],
  ['a count', countFlag('50'), 50],
  ['dollars', dollarsFlag('2.50'), 2.5],
  ['dollars with their sign', dollarsFlag('$3'), 3],
  ['a list', listFlag('bash, write_file'), ['bash', 'write_file']],
  ['a rule with a comma in its pattern is one', listFlag('bash(a, b),ls'), ['bash(a, b)', 'ls']],
  ['a list given twice', listFlag('ls', ['bash']), ['bash', 'ls']],
];

test.each(good)('flag: %s', (_name, got, expected) => {
  expect(got).toEqual(expected);
});

const bad: [name: string, parse: () => unknown][] = [
  ['a duration without a number', () => durationFlag('soon')],
  ['no time at all', () => durationFlag('0')],
  ['a negative duration', () => durationFlag('-5s')],
  ['no turns', () => countFlag('0')],
  ['half a turn', () => countFlag('1.5')],
  ['a count with words', () => countFlag('many')],
  ['no money', () => dollarsFlag('0')],
  ['endless money', () => dollarsFlag('Infinity')],
  ['nothing', () => dollarsFlag('')],
];

test.each(bad)('flag refused: %s', (_name, parse) => {
  expect(parse).toThrow(InvalidArgumentError);
});
