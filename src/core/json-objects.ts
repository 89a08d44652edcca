/** Beginnings that are tried; more are the model's noise. */
const TRIES_MAX = 20;

/** The JSON objects in a text of a model, the outermost first, whatever stands around them. */
export function jsonObjects(text: string): readonly Readonly<Record<string, unknown>>[] {
  const objects: Readonly<Record<string, unknown>>[] = [];
  let start = text.indexOf('{');
  for (let tries = 0; start !== -1 && tries < TRIES_MAX; tries += 1) {
    const end = endOfObject(text, start);
    const object = end === -1 ? null : parseObject(text.slice(start, end));
    if (object !== null) objects.push(object);
    start = text.indexOf('{', object === null ? start + 1 : end);
  }
  return objects;
}

/**
 * Behind the brace that closes the one at `start`, or -1. Braces in strings do not count. A string is never matched as a
 * whole: one that does not end would be looked for again from each of its quotes, and the workflow has no such time.
 */
function endOfObject(text: string, start: number): number {
  const tokens = /\\[^]|["{}]/gu;
  tokens.lastIndex = start;
  let depth = 0;
  let isQuoted = false;
  for (let token = tokens.exec(text); token !== null; token = tokens.exec(text)) {
    if (token[0] === '"') isQuoted = !isQuoted;
    if (isQuoted) continue;
    if (token[0] === '{') depth += 1;
    if (token[0] === '}') depth -= 1;
    if (depth === 0) return tokens.lastIndex;
  }
  return -1;
}

function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Readonly<Record<string, unknown>>) : null;
  } catch {
    return null;
  }
}

/**
 * How sure a model says it is, as a share from 0 to 1; null where it says nothing that can be read. It is asked for 0 to
 * 100 and may answer in words such as `95%`. A broken number between 0 and 1 is a share: nobody is 0.95 per cent sure.
 */
export function readConfidence(value: unknown): number | null {
  const number = typeof value === 'string' ? Number.parseFloat(value) : value;
  if (typeof number !== 'number' || Number.isNaN(number)) return null;
  const isShare = number > 0 && number < 1;
  return Math.min(1, Math.max(0, isShare ? number : number / 100));
}
