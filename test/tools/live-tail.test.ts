import { expect, test } from 'vitest';
import { createLiveTail } from '../../src/tools/live-tail.ts';
import { createRedactor } from '../../src/tools/redaction/redaction.ts';

const SECRET = 'canary-7f3a9c1e5b2d4860';
const { text: redact } = createRedactor({ secrets: [SECRET] });

/** Anything of it that says more than a word would. */
const PARTS = Array.from({ length: SECRET.length - 7 }, (_, at) => SECRET.slice(at, at + 8));

function shownOf(pieces: readonly string[], charactersMax = 200): readonly string[] {
  const live = createLiveTail(redact, charactersMax);
  return pieces.map((piece) => live(piece));
}

test.each([1, 2, 3, 7, 20])('no part of a secret is seen, in pieces of %i characters', (size) => {
  const output = `${'some words '.repeat(30)}the key is ${SECRET}, and ${'more words '.repeat(60)}\n`.repeat(3);
  const pieces = output.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
  const shown = shownOf(pieces);
  expect(shown.filter((text) => PARTS.some((part) => text.includes(part)))).toEqual([]);
  expect(shown.some((text) => text.includes('[redacted: known secret]'))).toBe(true);
  expect(Math.max(...shown.map(({ length }) => length))).toBeLessThanOrEqual(200);
});

test('no line of a private key is seen, wherever what is shown begins', () => {
  const line = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n';
  const key = `-----BEGIN PRIVATE KEY-----\n${line.repeat(40)}-----END PRIVATE KEY-----\n`;
  const shown = shownOf(`${key}${'line\n'.repeat(200)}`.match(/.*\n/g) ?? []);
  expect(shown.filter((text) => text.includes('MIIEvQ'))).toEqual([]);
  expect(shown.at(-1)).toMatch(/^\s(?:line\n)+$/);
});

test('the newest is shown up to the last whole word, and a word without end is shown in the end', () => {
  expect(shownOf(['first\nsec', 'ond', '\n', '50%'])).toEqual([
    'first\n',
    'first\n',
    'first\nsecond\n',
    'first\nsecond\n',
  ]);
  expect(shownOf(['.'.repeat(400), '.'.repeat(400)], 600).map(({ length }) => length)).toEqual([0, 600]);
});
