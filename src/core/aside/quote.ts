import { fitText, utf8Bytes } from '../sizes.ts';

/** Stands before every line that is not ours. */
const MARK = '| ';

/** Everything that some reader may take for the end of a line. */
const LINE_ENDS = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/u;

/** Bytes in which a text can still be told to be cut. */
const BYTES_MIN = 80;

/**
 * A text as material: each of its lines is marked, so that no text can end the quotation and pass for the question
 * behind it. At most `bytesMax` bytes, marks included; a longer text is cut in the middle and says so.
 */
export function quoted(text: string, bytesMax: number): string {
  let bytes = Math.max(BYTES_MIN, bytesMax);
  let marked = mark(fitText(text, bytes));
  while (utf8Bytes(marked) > bytesMax && bytes > BYTES_MIN) {
    bytes = Math.max(BYTES_MIN, Math.floor(bytes * 0.7));
    marked = mark(fitText(text, bytes));
  }
  return utf8Bytes(marked) <= Math.max(bytesMax, BYTES_MIN) ? marked : `${MARK}[… left out …]`;
}

function mark(text: string): string {
  return text
    .split(LINE_ENDS)
    .map((line) => `${MARK}${line}`)
    .join('\n');
}
