import type { Assignment, DoubleQuotedChild, Word, WordPart } from 'unbash';

/** A word of a command, as far as it can be told before the shell expands it. */
export interface ShellWord {
  /** What the program will get; undefined when the shell makes something else of it, or several words. */
  readonly value: string | undefined;
  /** As rules see it: the value, quoted when it holds a blank; otherwise as it is written. */
  readonly shown: string;
  readonly written: string;
  /** True when the shell may make more than one word of it. */
  readonly splits: boolean;
}

export function wordOf(word: Word | Assignment): ShellWord {
  const value = word.type === 'Word' ? literalOf(word) : literalAssignment(word);
  const written = word.text;
  if (value !== undefined) return { value, shown: shownAs(value), written, splits: false };
  const whole = word.type === 'Assignment' || (word.parts?.every(staysOne) ?? true);
  return { value, shown: written.replaceAll(/\\\n/g, ''), written, splits: !whole };
}

/** A word that stands for arguments nobody knows yet. */
export const UNKNOWN_WORDS: ShellWord = { value: undefined, shown: '$@', written: '$@', splits: true };

/** Words that came out of a string, such as those of `find -exec`. */
export function shownWords(words: readonly ShellWord[]): string {
  return words.map(({ shown }) => shown).join(' ');
}

/** The value a word has whatever the shell's state is; undefined when it has none. */
export function literalOf({ parts, value }: Word): string | undefined {
  if (parts === undefined) return value;
  const values = parts.map(literalPart);
  return values.every((part) => part !== undefined) ? values.join('') : undefined;
}

function literalAssignment({ name, append, index, value }: Assignment): string | undefined {
  if (index !== undefined || value.type !== 'Word') return undefined;
  const literal = literalOf(value);
  return literal === undefined ? undefined : `${name}${append === true ? '+' : ''}=${literal}`;
}

function literalPart(part: WordPart): string | undefined {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
      return part.value;
    case 'AnsiCQuoted':
      // What bytes and code points beyond ASCII become depends on the locale of the shell.
      return /[^\0-\x7f]/.test(part.value) && part.text.includes('\\') ? undefined : part.value;
    case 'DoubleQuoted':
      return literalChildren(part.parts);
    default:
      return undefined;
  }
}

function literalChildren(parts: readonly DoubleQuotedChild[]): string | undefined {
  const values = parts.map((part) => (part.type === 'Literal' ? part.value : undefined));
  return values.every((value) => value !== undefined) ? values.join('') : undefined;
}

/** Inside double quotes only `$@` and arrays become several words. */
function staysOne(part: WordPart): boolean {
  if (part.type === 'DoubleQuoted') return !/\$(?:@|\{@|\{!?\w+\[@|\{!\w+@)/.test(part.text);
  return literalPart(part) !== undefined;
}

function shownAs(value: string): string {
  return value === '' || /\s/.test(value) ? `'${value}'` : value;
}
