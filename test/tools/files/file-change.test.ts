import { expect, onTestFinished, test, vi } from 'vitest';
import { changeText } from '../../../src/tools/files/file-change.ts';

const lines = (word: string, count: number): string =>
  Array.from({ length: count }, (_, index) => `${word} ${index}`).join('\n');

test.each([10, 900, 2_000])(
  'a change of %i lines looks the same on a machine on which an hour goes by meanwhile',
  (count) => {
    const change = { before: lines('old', count), after: lines('new', count) };
    const shown = changeText('a.txt', change);
    let now = Date.now();
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => (now += 3_600_000));
    onTestFinished(() => clock.mockRestore());
    expect(changeText('a.txt', change)).toBe(shown);
  },
);
