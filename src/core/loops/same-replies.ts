import type { Loops } from '../../contract/terms.ts';
import { oneLine } from '../sizes.ts';
import { textHash } from '../text-hash.ts';
import { isAllowed, repeatsNeeded, type Patterns } from './patterns.ts';
import { isDeclaredRepetition, type LoopFound, type TurnSeen } from './seen.ts';
import { normalised, similarity, sketchOf, type Sketch } from './sketch.ts';
import {
  CALLS_REMEMBERED,
  REPLY_KEY_HASHES,
  REPLY_KEY_SHARED_MIN,
  SAME_REPLY_CHARACTERS_MIN,
  SAME_REPLY_SIMILARITY,
  SUMMARY_CHARACTERS_MAX,
} from './thresholds.ts';

export interface ReplyTrack {
  /** Of the latest reply that was long enough; empty before the first. */
  readonly sketch: Sketch;
  /** How many replies in a row, up to that one, said the same. */
  readonly row: number;
  /** Short hashes of the latest different calls, the newest last. */
  readonly calls: readonly string[];
}

export interface ReplySeen {
  readonly track: ReplyTrack;
  readonly found: LoopFound | null;
}

export const noReplies: ReplyTrack = { sketch: [], row: 0, calls: [] };

/** Takes in a reply, and finds a row of them that say nearly the same and ask for no call that was not made before. */
export function seeReply(
  track: ReplyTrack,
  turn: TurnSeen,
  rules: { readonly loops: Loops; readonly patterns: Patterns },
): ReplySeen {
  const { calls, isNew } = withCalls(track.calls, turn);
  const text = normalised(turn.text);
  const isMoving = isNew || isDeclaredRepetition(turn);
  // Too short to say anything: it neither lengthens a row nor ends it.
  if (text.length < SAME_REPLY_CHARACTERS_MIN) {
    return { track: isMoving ? { ...noReplies, calls } : { ...track, calls }, found: null };
  }
  const sketch = sketchOf(text);
  const isSame = !isMoving && track.row > 0 && similarity(track.sketch, sketch) >= SAME_REPLY_SIMILARITY;
  const next = { sketch, row: isSame ? track.row + 1 : 1, calls };
  return { track: next, found: isMoving ? null : findRow(next, turn.text, rules) };
}

function findRow(
  { sketch, row }: ReplyTrack,
  text: string,
  { loops, patterns }: { readonly loops: Loops; readonly patterns: Patterns },
): LoopFound | null {
  const pattern = patternOf(sketch, patterns);
  if (isAllowed(patterns, pattern) || row < repeatsNeeded(patterns, pattern, loops.sameReplies)) return null;
  const said = oneLine(text, SUMMARY_CHARACTERS_MAX);
  return { detector: 'same_replies', pattern, what: `${row} replies in a row said nearly the same: "${said}"` };
}

/** The key of a known pattern that is nearly this one, because replies that are alike are not equal; or a new key. */
function patternOf(sketch: Sketch, { warned, allowed }: Patterns): string {
  const known = [...warned.map(({ pattern }) => pattern), ...allowed];
  return known.find((pattern) => isNearly(pattern, sketch)) ?? keyOf(sketch);
}

const SAME = 'same:';

function keyOf(sketch: Sketch): string {
  return SAME + sketch.slice(0, REPLY_KEY_HASHES).map(part).join('.');
}

function isNearly(pattern: string, sketch: Sketch): boolean {
  if (!pattern.startsWith(SAME)) return false;
  const parts = new Set(sketch.map(part));
  const named = pattern.slice(SAME.length).split('.');
  return named.filter((name) => parts.has(name)).length >= REPLY_KEY_SHARED_MIN;
}

function part(hash: number): string {
  return hash.toString(36);
}

function withCalls(known: readonly string[], { calls }: TurnSeen): { calls: readonly string[]; isNew: boolean } {
  const latest = new Set(calls.map(({ digest }) => textHash(digest).slice(0, 8)));
  // Calls made again are renewed, so that the oldest to be forgotten is the one longest unused.
  const others = known.filter((key) => !latest.has(key));
  const isNew = known.length - others.length < latest.size;
  return { calls: [...others, ...latest].slice(-CALLS_REMEMBERED), isNew };
}
