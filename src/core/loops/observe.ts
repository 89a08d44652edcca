import type { Loops } from '../../contract/terms.ts';
import { findChant } from './chanting.ts';
import { noCycles, seeCalls, type CycleTrack } from './cycles.ts';
import { aged, isAllowed, noPatterns, withAllowed, withWarning, type Patterns } from './patterns.ts';
import { noProgress, seeProgress, type ProgressTrack } from './progress.ts';
import { noReplies, seeReply, type ReplyTrack } from './same-replies.ts';
import type { LoopFound, TurnSeen } from './seen.ts';

export type { LoopFound, SeenCall, TurnSeen } from './seen.ts';

/** What is remembered of a run to notice loops: plain data of less than 8 KB of JSON, however long the run. */
export interface LoopMemory {
  readonly cycles: CycleTrack;
  readonly replies: ReplyTrack;
  readonly progress: ProgressTrack;
  readonly patterns: Patterns;
}

export interface TurnObserved {
  readonly memory: LoopMemory;
  /** The first that was found, in the order of how sure it is; it is found again each turn until it is warned about. */
  readonly found: LoopFound | null;
}

export const emptyLoopMemory: LoopMemory = {
  cycles: noCycles,
  replies: noReplies,
  progress: noProgress,
  patterns: noPatterns,
};

/** Looks at a turn that has ended. */
export function observeTurn(memory: LoopMemory, turn: TurnSeen, loops: Loops): TurnObserved {
  const rules = { loops, patterns: memory.patterns };
  const cycles = seeCalls(memory.cycles, turn.calls, rules);
  const replies = seeReply(memory.replies, turn, rules);
  const progress = seeProgress(memory.progress, turn, rules);
  return {
    memory: {
      cycles: cycles.track,
      replies: replies.track,
      progress: progress.track,
      patterns: aged(progress.patterns),
    },
    found: cycles.found ?? findChanting(turn, rules) ?? replies.found ?? progress.found,
  };
}

/** After something was done about a pattern: all counts begin anew, and this pattern needs only a few repeats. */
export function warned(memory: LoopMemory, pattern: string): LoopMemory {
  return startAnew({ ...memory, patterns: withWarning(memory.patterns, pattern) });
}

/** After a person let a pattern go on: it is never found again. */
export function allowPattern(memory: LoopMemory, pattern: string): LoopMemory {
  return startAnew({ ...memory, patterns: withAllowed(memory.patterns, pattern) });
}

/** Whether a person let a pattern go on; of use where it is not found here, such as by a model. */
export function isPatternAllowed({ patterns }: LoopMemory, pattern: string): boolean {
  return isAllowed(patterns, pattern);
}

/**
 * Begins all counts anew, as after a person spoke: one who says "again" makes no loop. What was seen stays known, because
 * it is no more new than before.
 */
export function startAnew({ replies, progress, patterns }: LoopMemory): LoopMemory {
  return {
    cycles: noCycles,
    replies: { ...noReplies, calls: replies.calls },
    progress: { ...progress, idleTurns: 0 },
    patterns,
  };
}

function findChanting(
  { text, thinking }: TurnSeen,
  { loops, patterns }: { readonly loops: Loops; readonly patterns: Patterns },
): LoopFound | null {
  const rules = { repeats: loops.chantRepeats, patterns };
  return findChant(text, rules).found ?? findChant(thinking, rules).found;
}
