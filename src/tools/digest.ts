import { createHash } from 'node:crypto';

/** No sensible input nests deeper, and the recursion below must end. */
const DEPTH_MAX = 200;

/** `sha256:` and 64 hex digits over the canonical JSON of `{input, tool}`. Throws a `RangeError` on absurd nesting. */
export function digestOf(tool: string, input: unknown): string {
  return `sha256:${createHash('sha256').update(canonicalJson({ tool, input })).digest('hex')}`;
}

/** `sha256:…` over a text. */
export function textDigest(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** JSON with sorted keys at every level and without spaces, so that equal data has equal text. */
export function canonicalJson(value: unknown, depth = 0): string {
  if (depth > DEPTH_MAX) throw new RangeError(`Cannot read the input: it nests deeper than ${DEPTH_MAX} levels`);
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item, depth + 1)).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member, depth + 1)}`);
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}
