/**
 * The one place where sizes are measured and cut. Whatever a model, a tool, a person or a caller sends passes here
 * before it may reach a size at which the server ends or wedges a run (`contract/limits.ts` has the numbers).
 */

/** Bytes of a string in UTF-8. */
export function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    // A surrogate pair is two units and four bytes: two more than its length says.
    bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}

/** Bytes of a value as JSON, which is how it travels and is stored. */
export function jsonBytes(value: unknown): number {
  return utf8Bytes(JSON.stringify(value) ?? '');
}

/** Cuts a text to at most `bytesMax` bytes of JSON, keeps its head and tail, and says in between what is missing. */
export function fitText(text: string, bytesMax: number): string {
  if (text.length * 6 <= bytesMax || jsonBytes(text) <= bytesMax) return text;
  let keep = Math.min(text.length, bytesMax);
  let cut = headAndTail(text, keep);
  while (jsonBytes(cut) > bytesMax && keep > 0) {
    keep = Math.floor(keep * 0.7);
    cut = headAndTail(text, keep);
  }
  return cut;
}

/** Cuts a text to one line of at most `charactersMax` characters. */
export function oneLine(text: string, charactersMax: number): string {
  const line = text.replace(/\s+/gu, ' ').trim();
  return line.length <= charactersMax ? line : `${whole(line.slice(0, charactersMax - 1))}…`;
}

function headAndTail(text: string, keep: number): string {
  const head = whole(text.slice(0, Math.ceil(keep * 0.75)));
  const tail = text.slice(text.length - Math.floor(keep * 0.25)).replace(/^[\udc00-\udfff]/u, '');
  return `${head}\n[… ${text.length - head.length - tail.length} characters are left out here …]\n${tail}`;
}

/** Drops half a surrogate pair from the end, which would not survive the way through UTF-8. */
function whole(text: string): string {
  return text.replace(/[\ud800-\udbff]$/u, '');
}
