import type { Loops } from '../../contract/terms.ts';
import { textHash } from '../text-hash.ts';
import { isAllowed, isWarned, withoutWarning, type Patterns } from './patterns.ts';
import { isDeclaredRepetition, type LoopFound, type SeenCall, type TurnSeen } from './seen.ts';
import {
  IDLE_SHARE_AFTER_WARNING,
  IDLE_TURNS_AFTER_WARNING_MAX,
  REPEATS_AFTER_WARNING,
  RESULTS_REMEMBERED,
} from './thresholds.ts';

export interface ProgressTrack {
  /** Turns in a row that learnt nothing and changed nothing. */
  readonly idleTurns: number;
  /** Short hashes of the latest different results, the newest last. */
  readonly results: readonly string[];
}

export interface ProgressSeen {
  readonly track: ProgressTrack;
  readonly patterns: Patterns;
  readonly found: LoopFound | null;
}

export const noProgress: ProgressTrack = { idleTurns: 0, results: [] };

/** There is one pattern of standing still, so a person who lets it go on lets it go on for good. */
const NO_PROGRESS = 'no_progress';

/** Takes in what the calls of a turn brought. A turn without calls says nothing either way. */
export function seeProgress(
  track: ProgressTrack,
  turn: TurnSeen,
  { loops, patterns }: { readonly loops: Loops; readonly patterns: Patterns },
): ProgressSeen {
  if (turn.calls.length === 0) return { track, patterns, found: null };
  const results = withResults(track.results, turn.calls);
  const moved = isDeclaredRepetition(turn) || turn.calls.some(changes) || results.isNew;
  if (moved) {
    // A warning is about this standstill; the next one is another.
    return {
      track: { idleTurns: 0, results: results.kept },
      patterns: withoutWarning(patterns, NO_PROGRESS),
      found: null,
    };
  }
  const next = { idleTurns: track.idleTurns + 1, results: results.kept };
  return { track: next, patterns, found: findStandstill(next, loops, patterns) };
}

function changes({ status, effect }: SeenCall): boolean {
  return status === 'success' && effect !== 'read';
}

function findStandstill({ idleTurns }: ProgressTrack, loops: Loops, patterns: Patterns): LoopFound | null {
  if (isAllowed(patterns, NO_PROGRESS) || idleTurns < turnsNeeded(loops, patterns)) return null;
  const what = `${idleTurns} turns in a row brought nothing new and changed nothing`;
  return { detector: 'no_progress', pattern: NO_PROGRESS, what };
}

function turnsNeeded({ noProgressTurns }: Loops, patterns: Patterns): number {
  if (!isWarned(patterns, NO_PROGRESS)) return noProgressTurns;
  const share = Math.ceil(noProgressTurns * IDLE_SHARE_AFTER_WARNING);
  return Math.max(REPEATS_AFTER_WARNING, Math.min(share, IDLE_TURNS_AFTER_WARNING_MAX));
}

function withResults(
  known: readonly string[],
  calls: readonly SeenCall[],
): { readonly kept: readonly string[]; readonly isNew: boolean } {
  const successes = calls.filter(({ status }) => status === 'success');
  const keys = new Set(successes.map(({ resultHash }) => textHash(String(resultHash)).slice(0, 8)));
  const others = known.filter((key) => !keys.has(key));
  const isNew = known.length - others.length < keys.size;
  return { kept: [...others, ...keys].slice(-RESULTS_REMEMBERED), isNew };
}
