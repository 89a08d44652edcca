import { headOf } from './clip.ts';

/**
 * Characters that could make a line look like something else than it is: control characters, invisible
 * formatting (zero width, bidi, tags) and line separators.
 */
const DECEPTIVE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** One honest line of at most `charactersMax` characters: what cannot be seen is shown as an escape. */
export function oneLine(text: string, charactersMax: number): string {
  const start = headOf(text, charactersMax);
  const line = start.replaceAll(/\r?\n/g, ' ⏎ ').replaceAll(DECEPTIVE, escaped);
  if (line.length <= charactersMax && start.length === text.length) return line;
  return `${headOf(line, charactersMax - 1)}…`;
}

/** A path as it is shown in messages: quoted, its control characters escaped, of bounded length. */
export function quoted(path: string): string {
  return `"${oneLine(path, 200)}"`;
}

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
