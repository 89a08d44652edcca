import type { LoopDetector } from '../../contract/events.ts';
import type { Effect, ToolCallResult } from '../../contract/tool-calls.ts';

/** One call as the detectors see it. */
export interface SeenCall {
  /** Over the canonical JSON of tool and input, so that the order of keys makes no difference. */
  readonly digest: string;
  /** What it does in one line, for the model and for people. */
  readonly summary: string;
  /** Give tools that only keep the agent's own books as `read`: a plan written anew is no progress. */
  readonly effect: Effect;
  readonly status: ToolCallResult['status'];
  /** Equal for equal contents. */
  readonly resultHash: number | string;
  /** Declared as legitimate repetition, such as polling. */
  readonly isAllowed: boolean;
}

/** A turn that has ended: what the model said and thought, and what became of its calls, in their order. */
export interface TurnSeen {
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly SeenCall[];
}

export interface LoopFound {
  readonly detector: LoopDetector;
  /** A short key (at most 40 characters) that is the same when the same pattern is found later. */
  readonly pattern: string;
  /** One sentence without a capital and a period, for the model and for people. */
  readonly what: string;
}

/** Whether a turn did nothing but what was declared as legitimate repetition. */
export function isDeclaredRepetition({ calls }: TurnSeen): boolean {
  return calls.length > 0 && calls.every(({ isAllowed }) => isAllowed);
}
