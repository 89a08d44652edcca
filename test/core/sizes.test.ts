import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fitText, jsonBytes, oneLine, utf8Bytes } from '../../src/core/sizes.ts';

const texts = fc.oneof(fc.string({ unit: 'binary', maxLength: 400 }), fc.string({ unit: 'grapheme', maxLength: 400 }));

test('bytes are those of UTF-8', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => utf8Bytes(text) === Buffer.byteLength(text)));
});

test('a cut text fits, and a text that fits is not cut', () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 150, max: 3_000 }), (text, max) => {
      const cut = fitText(text, max);
      return jsonBytes(cut) <= max && (jsonBytes(text) > max || cut === text);
    }),
  );
});

test('control characters, which JSON makes six times as long, are counted as what they become', () => {
  const text = '\u0000'.repeat(50_000);
  expect(jsonBytes(fitText(text, 100_000))).toBeLessThanOrEqual(100_000);
});

test('one line is one line, and never half a character', () => {
  expect(oneLine(' a\n b\t c ', 10)).toBe('a b c');
  expect(oneLine('ab😀cd', 4)).toBe('ab…');
});
