/**
 * Characters that could make a line look like something else than it is: control characters, everything that is drawn
 * as nothing (zero width, bidi overrides, tags, fillers), line separators, and halves of characters.
 */
const DECEPTIVE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

/** Asks for the coloured form of the sign before it; harmless, and part of ordinary emoji. */
const EMOJI_SELECTOR = '\uFE0F';

/**
 * Text of others as one honest line: what cannot be seen is shown as `\x1b`, `\u202e` or `\u{e0041}`, newlines as `\n`.
 * Models, tools and repositories may write anything, and a terminal obeys it.
 */
export function visible(text: string): string {
  return text.replaceAll(DECEPTIVE, (character) => (character === EMOJI_SELECTOR ? character : escaped(character)));
}

/** The same for text of several lines; its line breaks stay, and a tab becomes two spaces. */
export function visibleLines(text: string): readonly string[] {
  return text.split(/\r?\n/u).map((line) => visible(line.replaceAll('\t', '  ')));
}

/** One line of at most `charactersMax` characters; white space of any kind becomes one space. */
export function shortLine(text: string, charactersMax: number): string {
  const characters = [
    ...visible(
      text
        .slice(0, charactersMax * 8)
        .replaceAll(/\s+/gu, ' ')
        .trim(),
    ),
  ];
  if (characters.length <= charactersMax && text.length <= charactersMax * 8) return characters.join('');
  return `${characters.slice(0, charactersMax - 1).join('')}…`;
}

/**
 * JSON in which everything deceptive is written as `\uXXXX`: the same value for a program, and harmless on a terminal.
 */
export function safeJson(value: unknown, indent = 0): string {
  return (JSON.stringify(value, null, indent) ?? 'null').replaceAll(DECEPTIVE, (character) => {
    return character === '\n' || character === EMOJI_SELECTOR ? character : asUtf16(character);
  });
}

function escaped(character: string): string {
  if (character === '\n') return '\\n';
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\u{${hex}}`;
}

function asUtf16(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
