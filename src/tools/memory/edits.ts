import type { CommandOf } from './commands.ts';

/** What an edit makes of a text, or the words why it cannot be made. */
export type Edited =
  /** `line` is the first that was changed, counted from 1. */
  | { readonly kind: 'edited'; readonly text: string; readonly line: number }
  | { readonly kind: 'refused'; readonly why: string };

const CONTEXT_LINES = 4;

/** Of the lines in which a text stands, so many are told. */
const LINES_TOLD_MAX = 100;

export function replaced(text: string, { path, old_str, new_str }: CommandOf<'str_replace'>): Edited {
  const at = text.indexOf(old_str);
  const [line, ...more] = linesWith(text, old_str);
  if (line === undefined) {
    const why = `No replacement was performed, old_str \`${old_str}\` did not appear verbatim in ${path}.`;
    return { kind: 'refused', why };
  }
  if (more.length > 0) {
    const lines = [line, ...more.slice(0, LINES_TOLD_MAX - 1), ...(more.length < LINES_TOLD_MAX ? [] : ['…'])];
    const why = `No replacement was performed. Multiple occurrences of old_str \`${old_str}\` in lines: ${lines.join(', ')}. Please ensure it is unique`;
    return { kind: 'refused', why };
  }
  return { kind: 'edited', text: text.slice(0, at) + new_str + text.slice(at + old_str.length), line };
}

export function inserted(text: string, { insert_line, insert_text }: CommandOf<'insert'>): Edited {
  const lines = linesOf(text);
  if (insert_line > lines.length) {
    const why = `Error: Invalid \`insert_line\` parameter: ${insert_line}. It should be within the range of lines of the file: [0, ${lines.length}]`;
    return { kind: 'refused', why };
  }
  const end = text === '' || text.endsWith('\n') ? '\n' : '';
  const edited = lines.toSpliced(insert_line, 0, ...linesOf(insert_text)).join('\n') + end;
  return { kind: 'edited', text: edited, line: insert_line + 1 };
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

/** The part of an edited text around what was put there at a line. */
export function snippet(text: string, line: number, part: string): string {
  const last = line + linesOf(part).length - 1 + CONTEXT_LINES;
  return numbered(text, { first: Math.max(1, line - CONTEXT_LINES), last });
}

/** A line end at the end of a text ends its last line; it does not begin another. */
export function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

/**
 * The line of each place where it stands, and of one more than are told. Overlapping ones count: which of them is meant
 * could not be told. A text may hold it in each of 100,000 lines, so it is read once.
 */
function linesWith(text: string, part: string): readonly number[] {
  const lines: number[] = [];
  let line = 1;
  let read = 0;
  for (let at = text.indexOf(part); at >= 0 && lines.length <= LINES_TOLD_MAX; at = text.indexOf(part, at + 1)) {
    line += text.slice(read, at).split('\n').length - 1;
    read = at;
    lines.push(line);
  }
  return lines;
}
