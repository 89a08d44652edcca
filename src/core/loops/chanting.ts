import { oneLine } from '../sizes.ts';
import { isAllowed, repeatsNeeded, type Patterns } from './patterns.ts';
import { proseStretches, type Stretch } from './prose.ts';
import { rollingHash, type RollingHash } from './rolling-hash.ts';
import type { LoopFound } from './seen.ts';
import {
  GAP_TEXTS_SHARE_MAX,
  OCCURRENCE_SPACING_MIN,
  PASSAGE_CHARACTERS,
  PASSAGE_GAP_MEAN_MAX,
  SUMMARY_CHARACTERS_MAX,
} from './thresholds.ts';

export interface ChantRules {
  /** Occurrences of a passage that make a chant. */
  readonly repeats: number;
  readonly patterns: Patterns;
}

export interface ChantSearch {
  readonly found: LoopFound | null;
  /** Passages looked at, occurrences followed and characters compared: what holds that the work is linear in the text. */
  readonly steps: number;
}

interface Scan extends ChantRules {
  readonly text: string;
  readonly hash: RollingHash;
  /** Characters back to the first occurrence that can still count. */
  readonly reach: number;
  /** Hashes of the chants that were warned about. */
  readonly warned: ReadonlySet<number>;
  /** By hash, where a passage began last, if that is within reach. */
  readonly latest: Map<number, number>;
  /** By the beginning of a passage: where it began before, and how many times within reach so far. */
  readonly previous: Int32Array;
  readonly counts: Int32Array;
  steps: number;
}

const CHANT = 'chant:';

/** Finds a passage that comes back over and over, close together and with little that is new in between. */
export function findChant(text: string, rules: ChantRules): ChantSearch {
  if (text.length < PASSAGE_CHARACTERS + OCCURRENCE_SPACING_MIN) return { found: null, steps: 0 };
  const scan = newScan(text, rules);
  for (const stretch of proseStretches(text)) {
    const found = scanStretch(scan, stretch);
    if (found !== null) return { found, steps: scan.steps };
  }
  return { found: null, steps: scan.steps };
}

function newScan(text: string, rules: ChantRules): Scan {
  const reach = (rules.repeats - 1) * PASSAGE_GAP_MEAN_MAX;
  const chants = rules.patterns.warned.filter(({ pattern }) => pattern.startsWith(CHANT));
  return {
    ...rules,
    text,
    hash: rollingHash(text, Math.max(reach, PASSAGE_CHARACTERS)),
    reach,
    warned: new Set(chants.map(({ pattern }) => Number.parseInt(pattern.slice(CHANT.length), 36))),
    latest: new Map(),
    previous: new Int32Array(text.length),
    counts: new Int32Array(text.length),
    steps: text.length,
  };
}

function scanStretch(scan: Scan, { start, end }: Stretch): LoopFound | null {
  scan.latest.clear();
  for (let at = start; at + PASSAGE_CHARACTERS <= end; at += 1) {
    const needed = countPassage(scan, at);
    if ((scan.counts[at] ?? 0) < needed) continue;
    const occurrences = latestOccurrences(scan, at, needed);
    if (!isCloseTogether(occurrences) || !isMonotonous(occurrences, (from, length) => scan.hash.of(from, length)))
      continue;
    const found = look(scan, occurrences);
    if (found !== null) return found;
    // Counted anew, so that what may go on is not looked at again with each character.
    scan.latest.clear();
  }
  return null;
}

/** Counts the passage that begins here, and returns how many occurrences of it make a chant. */
function countPassage(scan: Scan, at: number): number {
  const { hash, latest, previous, counts } = scan;
  scan.steps += 1;
  forget(scan, at - scan.reach - 1);
  const value = hash.of(at, PASSAGE_CHARACTERS);
  const before = latest.get(value);
  if (before !== undefined && at - before < OCCURRENCE_SPACING_MIN) return Infinity;
  previous[at] = before ?? -1;
  counts[at] = before === undefined ? 1 : (counts[before] ?? 0) + 1;
  latest.set(value, at);
  return scan.warned.has(value) ? repeatsNeeded(scan.patterns, chantKey(value), scan.repeats) : scan.repeats;
}

function forget({ hash, latest }: Scan, at: number): void {
  if (at < 0) return;
  const value = hash.of(at, PASSAGE_CHARACTERS);
  if (latest.get(value) === at) latest.delete(value);
}

/** Where the latest occurrences of the passage begin, the first of them first. */
function latestOccurrences(scan: Scan, at: number, count: number): readonly number[] {
  const occurrences = [at];
  for (let last = at; occurrences.length < count; occurrences.push(last)) last = scan.previous[last] ?? -1;
  scan.steps += count;
  return occurrences.toReversed();
}

function isCloseTogether(occurrences: readonly number[]): boolean {
  const [first = 0, last = 0] = [occurrences[0], occurrences.at(-1)];
  return last - first <= (occurrences.length - 1) * PASSAGE_GAP_MEAN_MAX;
}

/** Whether few different texts lead from one occurrence to the next; what was said differently each time is no chant. */
function isMonotonous(occurrences: readonly number[], textOf: (from: number, length: number) => unknown): boolean {
  const gaps = occurrences.slice(1).map((to, index) => {
    const from = occurrences[index] ?? 0;
    return textOf(from, to - from);
  });
  return new Set(gaps).size <= Math.floor(occurrences.length * GAP_TEXTS_SHARE_MAX);
}

/** Compares the characters themselves, because different texts may have the same hash, and names what was found. */
function look(scan: Scan, occurrences: readonly number[]): LoopFound | null {
  const { text, patterns } = scan;
  const [first = 0, last = 0] = [occurrences[0], occurrences.at(-1)];
  scan.steps += (last - first) * PASSAGE_CHARACTERS;
  const passages = new Set(occurrences.map((at) => passageAt(text, at)));
  if (passages.size > 1 || !isMonotonous(occurrences, (from, length) => text.slice(from, from + length))) return null;
  const pattern = chantKey(scan.hash.of(leastPassage(text, first, last), PASSAGE_CHARACTERS));
  if (isAllowed(patterns, pattern)) return null;
  const chanted = oneLine(text.slice(occurrences.at(-2), last), SUMMARY_CHARACTERS_MAX);
  return { detector: 'chanting', pattern, what: `"${chanted}" was written ${occurrences.length} times close together` };
}

/** Of all passages in a chant the least, which is the same wherever the chant began. */
function leastPassage(text: string, first: number, last: number): number {
  let least = first;
  for (let at = first + 1; at < last; at += 1) {
    if (passageAt(text, at) < passageAt(text, least)) least = at;
  }
  return least;
}

function passageAt(text: string, at: number): string {
  return text.slice(at, at + PASSAGE_CHARACTERS);
}

function chantKey(hash: number): string {
  return `${CHANT}${hash.toString(36)}`;
}
