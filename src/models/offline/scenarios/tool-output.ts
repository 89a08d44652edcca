import type { SeenResult } from '../conversation.ts';

/** A place that a search found. */
export interface Hit {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** What became of a call, as far as its result tells. */
export type Ending =
  | { readonly kind: 'ok'; readonly output: string }
  /** The command ran and ended with another code than 0. */
  | { readonly kind: 'failed'; readonly exitCode: number; readonly output: string }
  /** Nothing was done, or nobody knows. `word` is the kind of error the result begins with, such as `denied`. */
  | { readonly kind: 'error'; readonly word: string; readonly reason: string };

/** Tools add remarks of their own as lines in square brackets, such as `[No file matches.]` or `[… cut …]`. */
const NOTE = /^\[.*[.…]\s*\]$/u;

const ERROR_WORD = /^([a-z]+(?:_[a-z]+)*): /;

const EXIT_CODE = /(?:^|\n)exit code (\d+)\s*$/;

/** The lines of an output without the tool's own remarks. */
export function linesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line.trim() !== '' && !NOTE.test(line));
}

/** True when the tool remarked something, which it does when it shows only a part. */
export function isPartial(text: string): boolean {
  const lines = text.split('\n');
  return lines.length > 1 && lines.some((line) => NOTE.test(line));
}

/** Lines of the form `path:line:text`; anything else is left out. */
export function hitsOf(text: string): readonly Hit[] {
  return text.split('\n').flatMap((line) => {
    const [, path, number, words] = /^(.+?):(\d+):(.*)$/.exec(line) ?? [];
    return path === undefined || words === undefined
      ? []
      : [{ path: path.replace(/^\.\//, ''), line: Number(number), text: words.trim() }];
  });
}

/** Names of the entries of a folder. A link is told by its own name. */
export function entriesOf(text: string): readonly string[] {
  return linesOf(text).map((line) => line.replace(/ -> .*$/, '').trim());
}

/** Reads a result's end. An exit code shows that a command ran, whatever else the result says. */
export function endingOf({ text, isError }: SeenResult): Ending {
  const withoutNotes = text
    .split('\n')
    .filter((line) => !NOTE.test(line))
    .join('\n');
  const [, code] = EXIT_CODE.exec(withoutNotes) ?? [];
  const [start, word] = ERROR_WORD.exec(text) ?? [];
  if (code !== undefined && Number(code) !== 0)
    return { kind: 'failed', exitCode: Number(code), output: withoutNotes.replace(EXIT_CODE, '').trim() };
  if (!isError) return { kind: 'ok', output: text.trim() };
  return { kind: 'error', word: word ?? 'error', reason: text.slice(start?.length ?? 0).trim() };
}
