import { SHINGLE_CHARACTERS, SKETCH_HASHES } from './thresholds.ts';

/**
 * The least hashes of a text's shingles, ascending: a sample that is alike for texts that are alike, and that is all of
 * them where there are few (bottom-k MinHash, Broder 1997).
 */
export type Sketch = readonly number[];

/** Only what is said counts, not how it is set: case, spaces and the value of numbers are left out. */
export function normalised(text: string): string {
  return text.toLowerCase().replace(/\d+/gu, '0').replace(/\s+/gu, ' ').trim();
}

export function sketchOf(normalisedText: string): Sketch {
  const least: number[] = [];
  for (let start = 0; start + SHINGLE_CHARACTERS <= normalisedText.length; start += 1) {
    keepIfLeast(least, shingleHash(normalisedText, start));
  }
  return least;
}

/** Estimates the shared shingles over all shingles of both texts, 0 to 1. */
export function similarity(one: Sketch, other: Sketch): number {
  const union = [...new Set([...one, ...other])].toSorted((a, b) => a - b).slice(0, SKETCH_HASHES);
  const shared = union.filter((hash) => one.includes(hash) && other.includes(hash));
  return union.length === 0 ? 0 : shared.length / union.length;
}

/** Keeps `least` ascending, without doubles and no longer than a sketch. Rarely does more than one comparison. */
function keepIfLeast(least: number[], hash: number): void {
  if (least.length === SKETCH_HASHES && hash >= (least.at(-1) ?? 0)) return;
  const place = least.findIndex((kept) => kept >= hash);
  if (place !== -1 && least[place] === hash) return;
  least.splice(place === -1 ? least.length : place, 0, hash);
  if (least.length > SKETCH_HASHES) least.pop();
}

/** FNV-1a, mixed once more so that the least hashes are a fair sample. */
function shingleHash(text: string, start: number): number {
  let hash = 0x811c9dc5;
  for (let index = start; index < start + SHINGLE_CHARACTERS; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
