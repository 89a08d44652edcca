import { createHash } from 'node:crypto';

/** Lower case only: on a file system that does not know case, two keys would else share a file. */
const PLAIN = /^[a-z0-9_-]{1,100}$/;

/**
 * A file name for any key, different for different keys and of at most 73 or 100 characters. A harmless key stays
 * as it is; any other becomes a readable start, `~` and 128 bits of its SHA-256.
 */
export function safeName(key: string): string {
  if (PLAIN.test(key)) return key;
  const start = key
    .slice(0, 40)
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, '-');
  return `${start}~${createHash('sha256').update(key).digest('hex').slice(0, 32)}`;
}
