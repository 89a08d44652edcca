import type { Loops } from '../../contract/terms.ts';
import { oneLine } from '../sizes.ts';
import { textHash } from '../text-hash.ts';
import { isAllowed, repeatsNeeded, type Patterns } from './patterns.ts';
import type { LoopFound, SeenCall } from './seen.ts';
import { CYCLE_CALLS_MAX, SUMMARY_CHARACTERS_MAX } from './thresholds.ts';

/**
 * What is remembered of the calls so far. A cycle of k calls has come n times when each of the last k·(n−1) calls was the
 * same as the one k before it, so that one count for each k stands for the window of calls, whatever n is.
 */
export interface CycleTrack {
  /** The latest calls, at most `CYCLE_CALLS_MAX`, the newest last. */
  readonly calls: readonly TrackedCall[];
  /** For a distance of 1, 2, … calls: how many calls in a row were the same as the one so far back. */
  readonly matches: readonly number[];
}

interface TrackedCall {
  readonly key: string;
  readonly summary: string;
}

export interface CyclesSeen {
  readonly track: CycleTrack;
  readonly found: LoopFound | null;
}

export const noCycles: CycleTrack = { calls: [], matches: Array.from({ length: CYCLE_CALLS_MAX }, () => 0) };

/** Takes in the calls of one turn in their order, and finds the first cycle that is complete. */
export function seeCalls(
  track: CycleTrack,
  calls: readonly SeenCall[],
  rules: { readonly loops: Loops; readonly patterns: Patterns },
): CyclesSeen {
  let seen: CyclesSeen = { track, found: null };
  for (const call of calls) {
    if (call.isAllowed) continue;
    const next = withCall(seen.track, call);
    seen = { track: next, found: seen.found ?? findCycle(next, rules.loops.cycleRepeats, rules.patterns) };
  }
  return seen;
}

function withCall({ calls, matches }: CycleTrack, { digest, summary }: SeenCall): CycleTrack {
  const key = textHash(digest);
  return {
    calls: [...calls, { key, summary: oneLine(summary, SUMMARY_CHARACTERS_MAX) }].slice(-CYCLE_CALLS_MAX),
    matches: matches.map((count, index) => (calls.at(-1 - index)?.key === key ? count + 1 : 0)),
  };
}

function findCycle({ calls, matches }: CycleTrack, repeats: number, patterns: Patterns): LoopFound | null {
  for (const [index, matched] of matches.entries()) {
    const length = index + 1;
    if (matched < length) continue;
    const cycle = calls.slice(-length);
    const keys = cycle.map(({ key }) => key);
    if (isShorterCycleTwice(keys)) continue;
    const pattern = patternOf(keys);
    const isRepeated = matched >= length * (repeatsNeeded(patterns, pattern, repeats) - 1);
    if (!isRepeated || isAllowed(patterns, pattern)) continue;
    return { detector: 'cycle', pattern, what: describe(cycle, Math.floor(matched / length) + 1) };
  }
  return null;
}

/** ABAB is the cycle AB: leave to go on with AB must hold for it too. */
function isShorterCycleTwice(keys: readonly string[]): boolean {
  return keys.some(
    (_key, shift) => shift > 0 && keys.every((key, index) => key === keys[(index + shift) % keys.length]),
  );
}

/** The same for each rotation: it makes no difference which call of a cycle came first. */
function patternOf(keys: readonly string[]): string {
  const rotations = keys.map((_key, start) => [...keys.slice(start), ...keys.slice(0, start)].join(' '));
  const least = rotations.reduce((one, other) => (other < one ? other : one), rotations[0] ?? '');
  return `cycle:${textHash(least)}`;
}

function describe(cycle: readonly TrackedCall[], times: number): string {
  const names = cycle.map(({ summary }) => `"${summary}"`);
  const last = names.pop() ?? '';
  if (names.length === 0) return `the call ${last} was repeated ${times} times in a row`;
  return `the calls ${names.join(', ')} and ${last} were repeated ${times} times in turn`;
}
