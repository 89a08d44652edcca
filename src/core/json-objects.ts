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

/** Behind the brace that closes the one at `start`, or -1. Braces in strings do not count. */
function endOfObject(text: string, start: number): number {
  const tokens = /"(?:[^"\\]|\\[^])*"|[{}]/gu;
  tokens.lastIndex = start;
  let depth = 0;
  for (let token = tokens.exec(text); token !== null; token = tokens.exec(text)) {
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
