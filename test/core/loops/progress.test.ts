import { describe, expect, test } from 'vitest';
import type { ToolCallResult } from '../../../src/contract/tool-calls.ts';
import { allowPattern, startAnew, warned } from '../../../src/core/loops/observe.ts';
import { call, read, rules, turn, watch } from './turns.ts';

const loops = { ...rules, noProgressTurns: 6, cycleRepeats: 1_000 };
const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));

/** A read that finds what it found before: new only the first time. */
const idle = turn({ calls: [read('a', 'the same')] });
const reading = (name: string) => turn({ calls: [read(name)] });
const foundAt = (turns: Parameters<typeof watch>[0]) => watch(turns, { loops }).found?.at ?? null;

describe('no progress is', () => {
  test.each<[name: string, turns: Parameters<typeof watch>[0], found: number | null]>([
    ['five turns: one short', [idle, ...times(5, () => idle)], null],
    ['six turns', [idle, ...times(6, () => idle)], 7],
    ['other reads that find the same', [idle, ...times(6, (at) => turn({ calls: [read(`b${at}`, 'the same')] }))], 7],
    ['reads of what was read before', times(12, (at) => reading(`file ${at % 3}`)), 9],
    [
      'errors, however different',
      times(6, (at) => turn({ calls: [call(`x${at}`, { status: 'error', resultHash: at })] })),
      6,
    ],
    ['turns of words in between', [idle, ...times(6, () => [turn({ text: 'Hm.' }), idle]).flat()], 13],
    ['not reads that find something new', times(40, (at) => reading(`file ${at}`)), null],
    ['not the same read that finds something new', times(40, (at) => turn({ calls: [read('log', at)] })), null],
    [
      'not a write, whatever it says',
      times(40, (at) => turn({ calls: [call(`w${at % 7}`, { resultHash: 'ok' })] })),
      null,
    ],
    [
      'not one new thing among many old',
      times(40, (at) => turn({ calls: [read('a', 1), read('b', at), read('c', 1)] })),
      null,
    ],
    ['not words alone', times(40, () => turn({ text: 'Hm.' })), null],
    [
      'not what was declared as repetition',
      times(40, () => turn({ calls: [call('poll', { status: 'error', isAllowed: true })] })),
      null,
    ],
    [
      'not with a write in between',
      [...times(6, () => idle), turn({ calls: [call('w')] }), ...times(5, () => idle)],
      null,
    ],
  ])('%s', (_name, turns, found) => {
    expect(foundAt(turns)).toBe(found);
  });

  const failed: ToolCallResult['status'][] = ['error', 'denied', 'expired', 'cancelled', 'unknown'];
  test.each(failed)('a write that ended as %s', (status) => {
    const turns = times(6, (at) => turn({ calls: [call('w', { status, resultHash: at })] }));
    expect(foundAt(turns)).toBe(6);
  });

  test('a result that was seen before the last 200 others is new again', () => {
    const others = (count: number) => times(count, (at) => reading(`other ${at}`));
    const again = times(6, () => reading('a'));
    expect(foundAt([reading('a'), ...others(150), ...again])).toBe(157);
    expect(foundAt([reading('a'), ...others(200), ...again])).toBeNull();
  });

  test('said with the number of turns', () => {
    expect(watch([idle, ...times(6, () => idle)], { loops }).found).toMatchObject({
      detector: 'no_progress',
      pattern: 'no_progress',
      what: '6 turns in a row brought nothing new and changed nothing',
    });
  });
});

describe('after a warning', () => {
  const { memory } = watch([idle, ...times(6, () => idle)], { loops });
  const after = warned(memory, 'no_progress');

  test.each([
    [2, 2],
    [6, 2],
    [12, 4],
    [30, 10],
    [300, 10],
  ])('of %i turns, %i are left: a third, at least 2 and at most 10', (noProgressTurns, left) => {
    const later = watch(
      times(20, () => idle),
      { memory: after, loops: { ...loops, noProgressTurns } },
    );
    expect(later.found?.at).toBe(left);
  });

  test('progress ends it, and the next standstill has all its turns', () => {
    const later = watch([reading('new'), ...times(6, () => idle)], { memory: after, loops });
    expect(later.found?.at).toBe(7);
  });

  test('a person who lets it go on is not asked again', () => {
    expect(
      watch(
        times(100, () => idle),
        { memory: allowPattern(memory, 'no_progress'), loops },
      ).found,
    ).toBeNull();
  });

  test('a person who spoke gives it all its turns', () => {
    expect(
      watch(
        times(6, () => idle),
        { memory: startAnew(memory), loops },
      ).found?.at,
    ).toBe(6);
  });
});
