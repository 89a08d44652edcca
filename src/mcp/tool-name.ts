import { createHash } from 'node:crypto';

const PLAIN = /^[a-zA-Z0-9_-]{1,128}$/u;
const CHARACTERS_MAX = 128;
const HASH_CHARACTERS = 8;

/**
 * What the model calls a tool of a server: `mcp__server__tool`. A name that would not do is shortened and gets a piece
 * of its digest, so that two never become one and the same name comes out every time.
 */
export function toolNameOf(server: string, tool: string): string {
  const name = `mcp__${server}__${tool}`;
  if (PLAIN.test(name)) return name;
  const hash = createHash('sha256').update(tool).digest('hex').slice(0, HASH_CHARACTERS);
  const start = name.replaceAll(/[^a-zA-Z0-9_-]/gu, '_').slice(0, CHARACTERS_MAX - HASH_CHARACTERS - 1);
  return `${start}_${hash}`;
}
