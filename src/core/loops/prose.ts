import { DIVIDER_CHARACTERS_MAX } from './thresholds.ts';

/** A part of a text, from `start` to before `end`. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** What the lines before leave open. */
interface Context {
  /** The line of backticks or tildes that opened the code block we are in, or null. */
  readonly fence: string | null;
  readonly block: 'list' | 'table' | null;
}

interface LineRead {
  readonly isProse: boolean;
  readonly context: Context;
}

/**
 * The parts of a Markdown text that are plain sentences. Code blocks, tables, lists, headings, quotes and dividers repeat
 * themselves by nature, so each of them ends a part.
 */
export function proseStretches(text: string): readonly Stretch[] {
  const stretches: Stretch[] = [];
  let context: Context = { fence: null, block: null };
  let from = 0;
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline + 1;
    const read = readLine(headOf(text, start, end), context);
    context = read.context;
    if (!read.isProse) {
      if (from < start) stretches.push({ start: from, end: start });
      from = end;
    }
    start = end;
  }
  if (from < text.length) stretches.push({ start: from, end: text.length });
  return stretches;
}

/** What is looked at of a line: enough to tell what it is, and never more than that of one without an end. */
function headOf(text: string, start: number, end: number): string {
  return text.slice(start, Math.min(end, start + DIVIDER_CHARACTERS_MAX + 1)).replace(/\r?\n$/u, '');
}

function readLine(line: string, context: Context): LineRead {
  const { fence, block } = context;
  if (fence !== null) return { isProse: false, context: { fence: closes(line, fence) ? null : fence, block } };
  const opened = openedFence(line);
  if (opened !== null) return { isProse: false, context: { fence: opened, block } };
  if (line.trim() === '') return { isProse: true, context: { fence, block: block === 'list' ? block : null } };
  const within = blockOf(line, block);
  return { isProse: within === null && !isMarkup(line), context: { fence, block: within } };
}

/** A line of backticks has none behind it, or it would be code within a sentence. */
function openedFence(line: string): string | null {
  const opened = /^\s*(?:(`{3,})[^`]*|(~{3,}).*)$/u.exec(line);
  return opened?.[1] ?? opened?.[2] ?? null;
}

function blockOf(line: string, block: Context['block']): Context['block'] {
  if (isList(line)) return 'list';
  if (isTable(line)) return 'table';
  return continues(line, block) ? block : null;
}

function closes(line: string, fence: string): boolean {
  const mark = line.trim();
  return mark.startsWith(fence) && mark === fence.charAt(0).repeat(mark.length);
}

function isList(line: string): boolean {
  return /^\s*(?:[-*+•‣◦]|\d{1,9}[.)])(?:\s|$)/u.test(line);
}

/** A row that begins with a line, or the row of dashes under the names of a table without one. */
function isTable(line: string): boolean {
  return /^\s*[|\u2500-\u257f]/u.test(line) || /^\s*:?-{3,}:?\s*(?:\|\s*:?-{3,}:?\s*)+$/u.test(line);
}

function continues(line: string, block: Context['block']): boolean {
  return (block === 'list' && /^(?:\t| {2})/u.test(line)) || (block === 'table' && line.includes('|'));
}

/** Headings, quotes, indented code, and dividers. */
function isMarkup(line: string): boolean {
  return /^\s{0,3}(?:#{1,6}(?:\s|$)|>)/u.test(line) || /^(?:\t| {4})/u.test(line) || isDivider(line);
}

/** Drawn with marks alone, or with a title between marks; never with letters or digits. */
function isDivider(line: string): boolean {
  if (line.length > DIVIDER_CHARACTERS_MAX) return false;
  const marksAlone = /^\s*(?:[-*_=~+#\u2500-\u259f]\s*){3,}$/u;
  const aroundTitle = /^\s*[-_=~+#\u2500-\u259f]{3}.*[-_=~+#\u2500-\u259f]{3}\s*$/u;
  return marksAlone.test(line) || aroundTitle.test(line);
}
