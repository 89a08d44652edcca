import type { Loops } from '../../../src/contract/terms.ts';
import {
  emptyLoopMemory,
  observeTurn,
  type LoopFound,
  type LoopMemory,
  type SeenCall,
  type TurnSeen,
} from '../../../src/core/loops/observe.ts';

/** The rules of a spec that says nothing of its own. */
export const rules: Loops = {
  allow: [],
  cycleRepeats: 5,
  chantRepeats: 10,
  sameReplies: 4,
  noProgressTurns: 12,
};

/** A successful write, which is progress, so that only its repetition can be noticed. */
export function call(name: string, given: Partial<SeenCall> = {}): SeenCall {
  return {
    digest: `sha256:${name}`,
    summary: `bash: ${name}`,
    effect: 'unsafe',
    status: 'success',
    resultHash: name,
    isAllowed: false,
    ...given,
  };
}

/** A successful read. */
export function read(name: string, found: number | string = name): SeenCall {
  return call(name, { effect: 'read', resultHash: found, summary: `read_file: ${name}` });
}

export function turn(given: Partial<TurnSeen>): TurnSeen {
  return { text: '', thinking: '', calls: [], ...given };
}

export interface Found extends LoopFound {
  /** Number of the turn, from 1. */
  readonly at: number;
}

/** Looks at turns one after another, and returns what was first found, and the memory before and after it. */
export function watch(
  turns: readonly TurnSeen[],
  given: { readonly memory?: LoopMemory; readonly loops?: Loops } = {},
): { readonly memory: LoopMemory; readonly found: Found | null } {
  let memory = given.memory ?? emptyLoopMemory;
  for (const [index, seen] of turns.entries()) {
    const observed = observeTurn(memory, seen, given.loops ?? rules);
    memory = observed.memory;
    if (observed.found !== null) return { memory, found: { ...observed.found, at: index + 1 } };
  }
  return { memory, found: null };
}

/** Numbers from 0 to below `below`, drawn by a seed: the same for the same seed, and without fast-check's love of extremes. */
export function drawn(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Letters without a pattern. */
export function noise(seed: number, length: number): string {
  const next = drawn(seed);
  return Array.from({ length }, () => 'abcdefghijklmnopqrstuvwxyz'.charAt(next(26))).join('');
}
