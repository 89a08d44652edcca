import type { LoopRung } from '../../contract/events.ts';
import type { LoopFound } from './seen.ts';
import { QUIET_TURNS } from './thresholds.ts';

/** How far a run has been taken for going round in circles. One for all patterns: who changes the loop is still in one. */
export interface Ladder {
  /** The last rung that was stepped on, or null at the bottom. */
  readonly rung: LoopRung | null;
  /** Turn of the last step; 0 at the bottom. */
  readonly turn: number;
  /** The different patterns it was climbed for since the bottom, at most one a rung. */
  readonly patterns: readonly string[];
}

/** The bottom. Where a person decided that a run goes on, it begins here again. */
export const newLadder: Ladder = { rung: null, turn: 0, patterns: [] };

export interface Climbed {
  readonly ladder: Ladder;
  /** What is to be done now. */
  readonly rung: LoopRung;
}

/** Steps on the next rung: nudge, replan, ask (where somebody can be asked), stop. */
export function climb(
  ladder: Ladder,
  { pattern }: LoopFound,
  { turn, canAsk }: { readonly turn: number; readonly canAsk: boolean },
): Climbed {
  const from = settled(ladder, turn);
  const next = rungAbove(from.rung);
  const rung = next === 'ask' && !canAsk ? 'stop' : next;
  const others = from.patterns.filter((known) => known !== pattern);
  return { ladder: { rung, turn, patterns: [...others, pattern].slice(-RUNGS) }, rung };
}

const RUNGS = 4;

/** After enough quiet turns what was done has helped, and the next loop is a new matter. */
function settled(ladder: Ladder, turn: number): Ladder {
  const isQuiet = turn - ladder.turn >= QUIET_TURNS;
  return isQuiet && ladder.rung !== 'stop' ? newLadder : ladder;
}

function rungAbove(rung: LoopRung | null): LoopRung {
  switch (rung) {
    case null:
      return 'nudge';
    case 'nudge':
      return 'replan';
    case 'replan':
      return 'ask';
    case 'ask':
    case 'stop':
      return 'stop';
  }
}
