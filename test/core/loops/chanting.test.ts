import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findChant } from '../../../src/core/loops/chanting.ts';
import { noPatterns, withAllowed, withWarning } from '../../../src/core/loops/patterns.ts';
import { drawn, noise, turn, watch } from './turns.ts';

const find = (text: string, patterns = noPatterns) => findChant(text, { repeats: 10, patterns }).found;

describe('a passage that comes back with a period of', () => {
  test.each([50, 100, 120, 200, 249, 250])(
    '%i characters is found with the tenth, and not with the ninth',
    (period) => {
      const unit = noise(period, period);
      expect(find(unit.repeat(9))).toBeNull();
      expect(find(unit.repeat(10))).toMatchObject({ detector: 'chanting' });
      expect(find(unit.repeat(11))).toMatchObject({ detector: 'chanting' });
    },
  );

  test.each([251, 300, 1_000])('%i characters is too far apart', (period) => {
    expect(find(noise(period, period).repeat(40))).toBeNull();
  });

  test('120 characters is found with character 1,130, which completes the tenth passage of 50', () => {
    const text = noise(1, 120).repeat(10);
    expect(find(text.slice(0, 1_129))).toBeNull();
    expect(find(text.slice(0, 1_130))).not.toBeNull();
  });

  test('any number from 15 to 250 is found as soon as the tenth passage is complete', () => {
    fc.assert(
      fc.property(fc.integer({ min: 15, max: 250 }), fc.nat(), (period, seed) => {
        const text = noise(seed, period).repeat(Math.ceil((9 * period + 50) / period));
        return find(text.slice(0, 9 * period + 49)) === null && find(text.slice(0, 9 * period + 50)) !== null;
      }),
      { numRuns: 200 },
    );
  });

  test.each([
    [250, true],
    [251, false],
  ])('%i characters, where two occurrences are enough: found is %s', (period, isFound) => {
    const search = findChant(noise(period, period).repeat(3), { repeats: 2, patterns: noPatterns });
    expect(search.found !== null).toBe(isFound);
  });

  test('one character needs more than a line of them: leaders and digests of zeros are no chant', () => {
    expect(find(`Chapter 1 ${'.'.repeat(120)} 12`)).toBeNull();
    expect(find(`The digest is ${'0'.repeat(64)} there.`)).toBeNull();
    expect(find('!'.repeat(400))).not.toBeNull();
  });
});

describe('phrases', () => {
  test.each([
    ['Thinking... Done. '],
    ['I will now run the tests to see whether they pass. '],
    ['Processing the file...\n'],
    ['Wait, but the value is null. Hmm, let me check it again. Actually, no. '],
    ['让我再检查一次这个文件。'],
    ['AAAA BBBB 1234 '],
    ['0123456789'],
  ])('"%s" over and over is found', (phrase) => {
    expect(find(`Let me begin.\n\n${phrase.repeat(60)}`)).not.toBeNull();
  });

  test('one character after another, as small models end', () => {
    expect(find('G'.repeat(500))).not.toBeNull();
  });
});

describe('is no chant:', () => {
  const prefix = 'This passage of more than fifty characters begins each sentence, and ';

  test('the same beginning with a different end each time', () => {
    const sentences = Array.from({ length: 60 }, (_, index) => `${prefix}${noise(index, 20)}. `);
    expect(find(sentences.join(''))).toBeNull();
  });

  test.each([
    [5, true],
    [6, false],
  ])('the same beginning with %i different ends: found is %s', (ends, isFound) => {
    const sentences = Array.from({ length: 60 }, (_, index) => `${prefix}${noise(index % ends, 20)}. `);
    expect(find(sentences.join('')) !== null).toBe(isFound);
  });

  test('a passage that came ten times, but far apart', () => {
    const parts = Array.from({ length: 10 }, (_, index) => `${prefix}${noise(index, 400)}`);
    expect(find(parts.join(' '))).toBeNull();
  });

  test('text without a pattern', () => {
    expect(find(noise(7, 20_000))).toBeNull();
  });

  test.each([[''], ['a'], ['ab'.repeat(20)]])('a text that is too short: "%s"', (text) => {
    expect(find(text)).toBeNull();
  });
});

const line = 'the very same line of text, which has more than fifty characters in it';
const repeated = (form: string) => `${form}\n`.repeat(30);

describe('what repeats itself by nature is left out:', () => {
  test.each([
    ['a code block', `Look:\n\`\`\`ts\n${repeated(line)}\`\`\`\n`],
    ['a code block with tildes', `~~~\n${repeated(line)}~~~\n`],
    ['a code block with a shorter fence in it', `\`\`\`\`md\n\`\`\`\n${repeated(line)}\`\`\`\n\`\`\`\`\n`],
    ['a code block without an end', `\`\`\`\n${repeated(line)}`],
    ['a code block in a list', `- so:\n  \`\`\`\n  ${repeated(line)}  \`\`\`\n`],
    ['indented code', repeated(`    ${line}`)],
    ['a table', `| a | b |\n|---|---|\n${repeated(`| ${line} | x |`)}`],
    ['a table without outer lines', `name | value\n--- | ---\n${repeated(`${line} | x`)}`],
    ['a table drawn with boxes', repeated(`│ ${line} │`)],
    ['a list with -', repeated(`- ${line}`)],
    ['a list with *', repeated(`* ${line}`)],
    ['a list with +', repeated(`+ ${line}`)],
    ['a list with numbers', repeated(`1. ${line}`)],
    ['a list with numbers and brackets', repeated(`1) ${line}`)],
    ['the further lines of an item', repeated(`- item\n  ${line}`)],
    ['the further lines of an item, after an empty one', `- item\n\n${repeated(`  ${line}`)}`],
    ['headings', repeated(`## ${line}`)],
    ['quotes', repeated(`> ${line}`)],
    ['dividers of dashes', repeated('-'.repeat(80))],
    ['dividers of equal signs', repeated('='.repeat(80))],
    ['dividers of boxes', repeated('─'.repeat(80))],
    ['dividers with spaces', repeated('* '.repeat(40))],
    ['dividers with a title', repeated(`===== ${line} =====`)],
  ])('%s', (_name, text) => {
    expect(find(text)).toBeNull();
  });

  test('and each of them begins a new count', () => {
    const halves = [repeated(line).slice(0, 9 * (line.length + 1)), repeated(line).slice(0, 9 * (line.length + 1))];
    expect(find(halves.join('## Next\n'))).toBeNull();
    expect(find(halves.join(''))).not.toBeNull();
  });
});

describe('what only looks like it is not left out:', () => {
  test.each([
    ['plain lines', repeated(line)],
    [
      'lines of capitals, which are no divider',
      repeated('THE VERY SAME LINE IN CAPITALS AND NOTHING ELSE IN IT AT ALL'),
    ],
    ['capitals without a space', repeated('STOPTHISNOW'.repeat(6))],
    ['digits, which are no divider', repeated('3141592653589793238462643383279502884197169399375105820974944')],
    ['lines that begin with a word and a dash', repeated(`so - ${line}`)],
    ['lines that begin with a dash and no space', repeated(`-${line}`)],
    ['lines that begin with # and no space', repeated(`#${line}`)],
    ['lines that begin with a number that is no item', repeated(`1.5 ${line}`)],
    ['lines with code in them', repeated(`\`\`\`x\`\`\` ${line}`)],
    ['after a code block', `\`\`\`\n${line}\n\`\`\`\n${repeated(line)}`],
    ['after a list', `- ${line}\n\n${repeated(line)}`],
    ['after a table', `| a | b |\n|---|---|\n| c | d |\n\n${repeated(line)}`],
    ['a divider that never ends', '-'.repeat(1_000)],
  ])('%s', (_name, text) => {
    expect(find(text)).not.toBeNull();
  });
});

describe('a pattern', () => {
  const unit = noise(3, 120);
  const pattern = find(unit.repeat(10))?.pattern ?? '';

  test.each([
    ['the same text', unit.repeat(12)],
    ['a text that begins elsewhere', unit.slice(70).concat(unit.repeat(12))],
    ['a text with a beginning of its own', `Well. ${unit.repeat(12)}`],
  ])('has the same name in %s', (_name, text) => {
    expect(find(text)?.pattern).toBe(pattern);
  });

  test('has another name in another text', () => {
    expect(find(noise(4, 120).repeat(10))?.pattern).not.toBe(pattern);
  });

  test('that was warned about is found with the second occurrence', () => {
    const patterns = withWarning(noPatterns, pattern);
    expect(find(unit, patterns)).toBeNull();
    expect(find(`Well. ${unit.repeat(3)}`, patterns)?.pattern).toBe(pattern);
    expect(find(noise(4, 120).repeat(9), patterns)).toBeNull();
  });

  test('that may go on is never found, but another is', () => {
    const patterns = withAllowed(noPatterns, pattern);
    expect(find(unit.repeat(200), patterns)).toBeNull();
    expect(find(unit.repeat(20) + noise(4, 120).repeat(10), patterns)).not.toBeNull();
  });

  test('with a few different ends may go on too, wherever it is looked at', () => {
    const ends = ['one thing', 'another one', 'a third'];
    const text = Array.from({ length: 90 }, (_, index) => `${unit.slice(0, 80)} ${ends[index % 3]}. `).join('');
    const found = find(text);
    expect(found).not.toBeNull();
    expect(find(text, withAllowed(noPatterns, found?.pattern ?? ''))).toBeNull();
  });
});

test('text and thinking are looked at each for itself', () => {
  const half = noise(5, 100).repeat(5);
  expect(watch([turn({ text: half, thinking: half })]).found).toBeNull();
  expect(watch([turn({ thinking: half.repeat(2) })]).found).toMatchObject({ detector: 'chanting' });
  expect(watch([turn({ text: half.repeat(2) })]).found).toMatchObject({ detector: 'chanting' });
});

test('what was written is said', () => {
  expect(find('Thinking... Done. '.repeat(20))?.what).toBe('"Thinking... Done." was written 10 times close together');
});

describe('512 KiB take a few steps for each character:', () => {
  const size = 512 * 1_024;
  const filled = (part: (index: number) => string) => {
    const parts: string[] = [];
    for (let length = 0; length < size; length += parts.at(-1)?.length ?? 0) parts.push(part(parts.length));
    return parts.join('').slice(0, size);
  };
  const marks = (seed: number, length: number) => {
    const next = drawn(seed);
    return Array.from({ length }, () => '-=_~'.charAt(next(4))).join('');
  };
  const chant = noise(8, 60);
  const allowed = withAllowed(noPatterns, find(chant.repeat(20))?.pattern ?? '');

  test.each([
    ['without a pattern', filled((index) => noise(index, 1_000)), noPatterns],
    ['with a period just too long', filled(() => noise(9, 251)), noPatterns],
    ['with one beginning and many ends', filled((index) => noise(10, 200) + noise(index, 10)), noPatterns],
    ['of short lines', filled((index) => `${noise(index, 60)}\n`), noPatterns],
    ['of list items', filled(() => `- ${line}\n`), noPatterns],
    ['of lines that are nearly dividers', filled((index) => `${marks(index, 197)} x\n`), noPatterns],
    ['of fences', filled(() => '```\n'), noPatterns],
    ['of a chant that may go on', filled(() => chant), allowed],
  ])('%s', (_name, text, patterns) => {
    const search = findChant(text, { repeats: 10, patterns });
    expect(search.found).toBeNull();
    expect(search.steps).toBeLessThanOrEqual(100 * size);
  });

  test('twice the text takes twice the steps', () => {
    const steps = (length: number) => findChant(noise(11, length), { repeats: 10, patterns: noPatterns }).steps;
    expect(steps(200_000) / steps(100_000)).toBeCloseTo(2, 1);
  });
});

test('texts of different sentences are never a chant', () => {
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: 1, max: 80 }), (seed, count) => {
      const next = drawn(seed);
      const words = () => Array.from({ length: 5 + next(12) }, () => noise(next(2 ** 31), 2 + next(8)));
      const sentences = Array.from({ length: count }, () => `${words().join(' ')}.`);
      return find(sentences.join(' ')) === null;
    }),
    { numRuns: 200 },
  );
});
