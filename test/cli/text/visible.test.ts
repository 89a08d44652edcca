import fc from 'fast-check';
import { expect, test } from 'vitest';
import { safeJson, shortLine, visible, visibleLines } from '../../../src/cli/text/visible.ts';

const shown: [name: string, text: string, expected: string][] = [
  ['ordinary text stays', 'Grüße, 世界 🙂', 'Grüße, 世界 🙂'],
  ['an escape sequence is shown', '\u001b[2Jrm', '\\x1b[2Jrm'],
  ['a carriage return is shown, since it hides what stands before', 'evil\rgood', 'evil\\x0dgood'],
  ['a line break is shown', 'a\nb', 'a\\nb'],
  ['NUL and DEL are shown', '\u0000\u007f', '\\x00\\x7f'],
  ['C1 controls are shown', '\u009b31m', '\\x9b31m'],
  ['a bidi override is shown', 'a\u202etxt', 'a\\u202etxt'],
  ['bidi isolates are shown', '\u2066x\u2069', '\\u2066x\\u2069'],
  ['zero width characters are shown', 'a\u200bb\u200dc\ufeff', 'a\\u200bb\\u200dc\\ufeff'],
  ['tag characters are shown', '\u{e0041}\u{e007f}', '\\u{e0041}\\u{e007f}'],
  ['hidden variation selectors are shown', 'a\u{e0100}', 'a\\u{e0100}'],
  ['line and paragraph separators are shown', '\u2028\u2029', '\\u2028\\u2029'],
  ['half of a character is shown', '\ud800', '\\ud800'],
  ['a filler that looks like nothing is shown', '\u3164', '\\u3164'],
  ['the selector of coloured emoji stays', '✔\ufe0f', '✔\ufe0f'],
];

test.each(shown)('visible(): %s', (_name, text, expected) => {
  expect(visible(text)).toBe(expected);
});

test('nothing that visible() returns can move a cursor or hide text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(visible(text).replaceAll('\ufe0f', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
    }),
  );
});

test('several lines keep their breaks and nothing else', () => {
  expect(visibleLines('a\tb\r\nc\u001b')).toEqual(['a  b', 'c\\x1b']);
});

test('a short line is cut between characters and holds no line break', () => {
  expect(shortLine('one\n  two', 20)).toBe('one two');
  expect(shortLine('🙂'.repeat(20), 5)).toBe('🙂🙂🙂🙂…');
  expect(shortLine('x'.repeat(10_000_000), 5)).toBe('xxxx…');
});

test('safe JSON is the same value and shows nothing deceptive', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const json = safeJson({ text });
      expect(JSON.parse(json)).toEqual({ text });
      expect(json).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
    }),
  );
});
