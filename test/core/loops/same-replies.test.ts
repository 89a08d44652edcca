import { describe, expect, test } from 'vitest';
import { allowPattern, startAnew, warned } from '../../../src/core/loops/observe.ts';
import { normalised, similarity, sketchOf } from '../../../src/core/loops/sketch.ts';
import { call, noise, read, turn, watch } from './turns.ts';

const said =
  'I have looked at the configuration of the server once more, and I still cannot see why the port is taken.';
const other =
  'Next come the tests of the parser: three of them fail, and each of them names the same line of the lexer.';
const third = 'The disk of the second machine is full again, so that nothing can be written there until it is cleared.';
const long = `${said} ${other}`;

const saying = (...texts: readonly string[]) => texts.map((text) => turn({ text }));
const foundAt = (...texts: readonly string[]) => watch(saying(...texts)).found?.at ?? null;

describe('replies are the same', () => {
  test.each<[name: string, texts: readonly string[], found: number | null]>([
    ['three times: one short', [said, said, said], null],
    ['four times', [said, said, said, said], 4],
    ['after others', [other, said, said, said, said], 5],
    ['with other capitals', [said, said.toUpperCase(), said, said.toUpperCase()], 4],
    ['with other numbers', ['1', '22', '333', '4444'].map((number) => `${said} Try ${number} now.`), 4],
    ['with other spaces and lines', [said, said.replaceAll(' ', '\n'), said, `  ${said}\n`], 4],
    ['with a word changed', [long, long.replace('port', 'gate'), long, long.replace('lexer', 'reader')], 4],
    ['with a sentence changed', [long, long.replace(said, third), long, long.replace(said, third)], null],
    ['with an empty one in between', [said, '', said, '', said, '', said], 7],
    ['with a short one in between', [said, said, 'Hm.', said, said], 5],
    ['with another one in between', [said, said, said, other, said, said, said], null],
    ['but short', ['Go on.', 'Go on.', 'Go on.', 'Go on.', 'Go on.'], null],
    ['of 39 characters', Array.from({ length: 6 }, () => noise(1, 39)), null],
    ['of 40 characters', Array.from({ length: 6 }, () => noise(1, 40)), 4],
  ])('%s', (_name, texts, found) => {
    expect(foundAt(...texts)).toBe(found);
  });

  test('is said with the words', () => {
    expect(watch(saying(said, said, said, said)).found).toMatchObject({
      detector: 'same_replies',
      what: `4 replies in a row said nearly the same: "${said.slice(0, 79)}…"`,
    });
  });
});

describe('calls', () => {
  const doing = (...names: readonly string[]) =>
    names.map((name, index) => turn({ text: said, calls: [read(name, index)] }));

  test.each<[name: string, names: readonly string[], found: number | null]>([
    ['that are all new are work, whatever is said', ['a', 'b', 'c', 'd', 'e', 'f', 'g'], null],
    ['that were made before are none', ['a', 'b', 'b', 'a', 'b'], 5],
    ['of which one is new end the row', ['a', 'b', 'a', 'b', 'c', 'a', 'b', 'c'], 8],
  ])('%s', (_name, names, found) => {
    expect(watch(doing(...names)).found?.at ?? null).toBe(found);
  });

  test('that are new end a row without a word', () => {
    const silent = turn({ calls: [read('new')] });
    const turns = [...saying(said, said, said), silent, ...saying(said, said, said)];
    expect(watch(turns).found).toBeNull();
  });

  test('that are not new do not end it', () => {
    const silent = turn({ calls: [read('old')] });
    const turns = [silent, ...saying(said, said, said), silent, ...saying(said)];
    expect(watch(turns).found).toMatchObject({ at: 6, detector: 'same_replies' });
  });

  test('declared as repetition may be told of in the same words', () => {
    const poll = turn({ text: said, calls: [call('poll', { isAllowed: true })] });
    expect(watch(Array.from({ length: 50 }, () => poll)).found).toBeNull();
  });
});

describe('a pattern', () => {
  const { memory, found } = watch(saying(said, said, said, said));
  const pattern = found?.pattern ?? '';
  const nearly = said.replace('still', 'stilt');

  test('is short', () => {
    expect(pattern.length).toBeLessThanOrEqual(40);
  });

  test('that was warned about is found with the second reply, by the same name, even where it is only nearly the same', () => {
    const later = watch(saying(nearly, nearly), { memory: warned(memory, pattern) });
    expect(later.found).toMatchObject({ at: 2, pattern });
  });

  test('is known by its name where a change makes a new one', () => {
    const first = watch(saying(long, long, long, long));
    const name = first.found?.pattern ?? '';
    const changed = Array.from({ length: long.length }, (_, at) => `${long.slice(0, at)}x${long.slice(at + 1)}`);
    const renamed = changed.filter((text) => watch(saying(text, text, text, text)).found?.pattern !== name);
    expect(renamed.length).toBeGreaterThan(5);
    for (const text of renamed) {
      const later = watch(saying(text, text), { memory: warned(first.memory, name) });
      expect(later.found).toMatchObject({ at: 2, pattern: name });
    }
  });

  test('of another text needs the whole row after a warning', () => {
    expect(watch(saying(other, other, other, other), { memory: warned(memory, pattern) }).found?.at).toBe(4);
  });

  test('that may go on is never found, but another is', () => {
    const allowed = allowPattern(memory, pattern);
    expect(
      watch(saying(...Array.from({ length: 20 }, (_, index) => (index % 2 ? nearly : said))), { memory: allowed })
        .found,
    ).toBeNull();
    expect(watch(saying(other, other, other, other), { memory: allowed }).found?.at).toBe(4);
  });

  test('begins anew when a person spoke', () => {
    const three = watch(saying(said, said, said)).memory;
    expect(watch(saying(said), { memory: three }).found?.at).toBe(1);
    expect(watch(saying(said, said, said), { memory: startAnew(three) }).found).toBeNull();
  });
});

/** Shared shingles over all, counted and not estimated. */
function exactSimilarity(one: string, another: string): number {
  const shingles = (text: string) =>
    new Set(Array.from({ length: text.length - 4 }, (_, at) => text.slice(at, at + 5)));
  const [left, right] = [shingles(one), shingles(another)];
  const shared = [...left].filter((shingle) => right.has(shingle)).length;
  return shared / (left.size + right.size - shared);
}

describe('the sketch of a text', () => {
  test.each([1, 2, 3, 4, 5])('estimates how much two long texts share (%i)', (seed) => {
    const [one, another] = [noise(seed, 3_000), noise(seed + 100, 3_000)];
    for (const share of [0, 0.5, 0.8, 0.95, 1]) {
      const mixed = one.slice(0, 3_000 * share) + another.slice(3_000 * share);
      const estimate = similarity(sketchOf(one), sketchOf(mixed));
      expect(Math.abs(estimate - exactSimilarity(one, mixed))).toBeLessThan(0.2);
    }
  });

  test('knows exactly how much two short texts share', () => {
    const [one, another] = [noise(1, 40), noise(1, 30) + noise(2, 5)];
    expect(similarity(sketchOf(one), sketchOf(another))).toBeCloseTo(exactSimilarity(one, another), 10);
  });

  test('has at most 64 numbers', () => {
    expect(sketchOf(noise(1, 50_000))).toHaveLength(64);
    expect(sketchOf('abc')).toEqual([]);
    expect(similarity([], [])).toBe(0);
  });

  test('leaves out case, spaces and the value of numbers', () => {
    expect(normalised('  Took\t12.5 s\n\nat LINE 7 ')).toBe('took 0.0 s at line 0');
  });
});
