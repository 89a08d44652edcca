/** Room for the note, so that the clipped text with its note stays within the limit. */
const NOTE_CHARACTERS_MAX = 100;

/** A longer word is cut in two. */
const WORD_CHARACTERS_MAX = 500;

/** Text of which only head and tail are kept beyond a limit; memory stays bounded however much is added. */
export interface HeadTail {
  readonly add: (text: string) => void;
  /** Characters added so far. */
  readonly characters: () => number;
  /** At most `charactersMax` characters. */
  readonly text: () => string;
}

/**
 * Shortens a text to at most `charactersMax` characters. Head and tail are kept, because the cause tends to
 * stand first and the outcome last; a note between them says how much is missing.
 */
export function clip(text: string, charactersMax: number): string {
  const kept = createHeadTail(charactersMax);
  kept.add(text);
  return kept.text();
}

export function createHeadTail(charactersMax: number): HeadTail {
  const half = Math.max(0, Math.floor((charactersMax - NOTE_CHARACTERS_MAX) / 2));
  let start = '';
  let end = '';
  let characters = 0;
  return {
    add(text) {
      const room = Math.max(0, charactersMax - start.length);
      start += text.slice(0, room);
      // What still fits the start is also the tail's, until the text is known to be too long.
      end = text.length >= half ? text.slice(text.length - half) : (end + text).slice(-half);
      characters += text.length;
    },
    characters: () => characters,
    text: () =>
      characters <= charactersMax ? start : joined(wordsOfHead(start, half), wordsOfTail(end, half), characters),
  };
}

/** The first characters, never half of a surrogate pair: the model's API refuses lone surrogates. */
export function headOf(text: string, characters: number): string {
  return text.slice(0, isHighSurrogate(text, characters - 1) ? characters - 1 : characters);
}

/**
 * The first characters without the word they end in, which may be cut: the half of a secret is known to nobody, and
 * would not be taken out.
 */
export function wordsOfHead(text: string, characters: number): string {
  const head = headOf(text, characters);
  const word = /\S*$/.exec(head.slice(-WORD_CHARACTERS_MAX - 1))?.[0].length ?? 0;
  return word > WORD_CHARACTERS_MAX ? head : head.slice(0, head.length - word);
}

/** The last characters without the word they begin in. */
export function wordsOfTail(text: string, characters: number): string {
  const tail = tailOf(text, characters);
  const word = /^\S*/.exec(tail)?.[0].length ?? 0;
  return word > WORD_CHARACTERS_MAX ? tail : tail.slice(word);
}

/** The last characters, never half of a surrogate pair. */
function tailOf(text: string, characters: number): string {
  const from = Math.max(0, text.length - characters);
  return text.slice(isLowSurrogate(text, from) ? from + 1 : from);
}

function joined(head: string, tail: string, characters: number): string {
  return `${head}\n[… ${characters - head.length - tail.length} of ${characters} characters are left out here …]\n${tail}`;
}

function isHighSurrogate(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code >= 0xd800 && code <= 0xdbff;
}

function isLowSurrogate(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code >= 0xdc00 && code <= 0xdfff;
}
