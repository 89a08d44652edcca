import type { Body } from './body.ts';

/** How far into a page its `<meta charset>` or `<?xml encoding?>` may stand. */
const META_BYTES = 1_024;

/** How far a NUL is looked for; text holds none. */
const SNIFF_BYTES = 8_000;

/** Decodes a body as browsers do: byte order mark, then header, then the page's own word, then a guess. */
export function decodeText({ bytes, cut }: Body, contentType: string): string {
  const named = charsetOfMark(bytes) ?? charsetIn(contentType) ?? charsetOfPage(bytes, contentType);
  // With `stream`, a character that the limit cut in half is left out instead of being replaced.
  if (named !== undefined) return new TextDecoder(named).decode(bytes, { stream: cut });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: cut });
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** Whether bytes are something else than text. */
export function isBinary(bytes: Buffer, contentType: string): boolean {
  const charset = charsetOfMark(bytes) ?? charsetIn(contentType) ?? '';
  return !charset.startsWith('utf-16') && bytes.subarray(0, SNIFF_BYTES).includes(0);
}

function charsetOfMark(bytes: Buffer): string | undefined {
  const start = bytes.toString('hex', 0, 3);
  if (start === 'efbbbf') return 'utf-8';
  if (start.startsWith('fffe')) return 'utf-16le';
  return start.startsWith('feff') ? 'utf-16be' : undefined;
}

/** The page's own word. One that could be read is not in two bytes a character, whatever it says. */
function charsetOfPage(bytes: Buffer, contentType: string): string | undefined {
  if (contentType !== '' && !/html|xml/i.test(contentType)) return undefined;
  const named = charsetIn(bytes.toString('latin1', 0, META_BYTES));
  return named?.startsWith('utf-16') === true ? 'utf-8' : named;
}

function charsetIn(text: string): string | undefined {
  const label = /(?:charset|encoding)\s*=\s*["']?([\w.:-]{1,40})/i.exec(text)?.[1];
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}
