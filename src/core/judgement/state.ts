import type { Verdict } from '../../contract/run.ts';
import { newJudgeSchedule, type JudgeSchedule } from '../loops/judge.ts';
import { newLadder, type Ladder } from '../loops/ladder.ts';
import { emptyLoopMemory, type LoopFound, type LoopMemory } from '../loops/observe.ts';

/** What is remembered of a run to notice that it goes round in circles. */
export interface LoopState {
  readonly memory: LoopMemory;
  readonly ladder: Ladder;
  readonly schedule: JudgeSchedule;
}

export const newLoopState: LoopState = {
  memory: emptyLoopMemory,
  ladder: newLadder,
  schedule: newJudgeSchedule,
};

/** What rules can tell of the work without asking a model. */
export interface CheckState {
  /** Whether the newest run of a command that counts as a test succeeded, by its glob; undefined where none could tell. */
  readonly tests: Readonly<Record<string, boolean | undefined>>;
  /** Calls that changed something and succeeded. */
  readonly effects: number;
}

export const noChecks: CheckState = { tests: {}, effects: 0 };

/** What a question about the run is about; kept until it is decided. */
export type Matter =
  | { readonly about: 'critique'; readonly verdict: Verdict }
  | { readonly about: 'loop'; readonly found: LoopFound }
  | { readonly about: 'budget'; readonly cap: Cap; readonly message: string };

/** A budget that is used up: a counter of the ledger or one of the run's own limits, and what a top-up adds to it. */
export interface Cap {
  readonly key: string;
  /** US dollars. */
  readonly costUsd: number;
  readonly tokens: number;
}
