import type { CommandOf } from './commands.ts';

/** What an edit makes of a text, or the words why it cannot be made. */
export type Edited =
  | { readonly kind: 'edited'; readonly text: string }
  | { readonly kind: 'refused'; readonly why: string };

const CONTEXT_LINES = 4;

export function replaced(text: string, { path, old_str, new_str }: CommandOf<'str_replace'>): Edited {
  const found = occurrences(text, old_str);
  const [at] = found;
  if (at === undefined) {
    const why = `No replacement was performed, old_str \`${old_str}\` did not appear verbatim in ${path}.`;
    return { kind: 'refused', why };
  }
  if (found.length > 1) {
    const lines = found.map((index) => lineOf(text, index)).join(', ');
    const why = `No replacement was performed. Multiple occurrences of old_str \`${old_str}\` in lines: ${lines}. Please ensure it is unique`;
    return { kind: 'refused', why };
  }
  return { kind: 'edited', text: text.slice(0, at) + new_str + text.slice(at + old_str.length) };
}

export function inserted(text: string, { insert_line, insert_text }: CommandOf<'insert'>): Edited {
  const lines = linesOf(text);
  if (insert_line > lines.length) {
    const why = `Error: Invalid \`insert_line\` parameter: ${insert_line}. It should be within the range of lines of the file: [0, ${lines.length}]`;
    return { kind: 'refused', why };
  }
  const end = text === '' || text.endsWith('\n') ? '\n' : '';
  return { kind: 'edited', text: lines.toSpliced(insert_line, 0, ...linesOf(insert_text)).join('\n') + end };
}

/** Whether an edit that may have been made shows in the text. */
export function holdsEdit(text: string, edit: CommandOf<'str_replace'> | CommandOf<'insert'>): boolean {
  if (edit.command === 'insert') {
    const wanted = linesOf(edit.insert_text);
    return (
      linesOf(text)
        .slice(edit.insert_line, edit.insert_line + wanted.length)
        .join('\n') === wanted.join('\n')
    );
  }
  const { old_str, new_str } = edit;
  if (!text.includes(new_str)) return false;
  return new_str.includes(old_str) || !text.includes(old_str);
}

export interface Lines {
  /** Counted from 1. */
  readonly first: number;
  readonly last: number;
}

/** Lines with their numbers, as the model knows them from editors. */
export function numbered(text: string, { first, last }: Lines): string {
  const lines = linesOf(text).slice(first - 1, last);
  return lines.map((line, index) => `${String(first + index).padStart(6)}\t${line}`).join('\n');
}

/** The part of an edited text around what was put there. */
export function snippet(text: string, part: string): string {
  const line = lineOf(text, Math.max(0, text.indexOf(part)));
  const last = line + linesOf(part).length - 1 + CONTEXT_LINES;
  return numbered(text, { first: Math.max(1, line - CONTEXT_LINES), last });
}

/** A line end at the end of a text ends its last line; it does not begin another. */
export function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

function occurrences(text: string, part: string): readonly number[] {
  const found: number[] = [];
  // Overlapping ones count: which of them is meant could not be told.
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) found.push(at);
  return found;
}

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}
