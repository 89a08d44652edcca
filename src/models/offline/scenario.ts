import type { Conversation } from './conversation.ts';
import type { WireBlock } from './request.ts';
import { aside } from './scenarios/aside.ts';

export interface ScriptedCall {
  readonly name: string;
  readonly input: unknown;
}

/** What the model says in one turn. The parts appear in the order of the fields. */
export interface ScriptedReply {
  /** Left out when the request does not ask for thinking. */
  readonly thinking?: string;
  /** Blocks of any kind, sent as they are. */
  readonly blocks?: readonly WireBlock[];
  readonly text?: string;
  /** Left out when the request wants words only. */
  readonly calls?: readonly ScriptedCall[];
  /** `tool_use` when there are calls and `end_turn` when there are none, unless it is given. */
  readonly stopReason?: string;
  /** Milliseconds between two pieces of the stream; the server's own pace when left out. */
  readonly pauseMs?: number;
}

/**
 * A part to play: a pure function of what was said so far. The same transcript gets the same reply, whatever was
 * retried, restarted or lost between.
 */
export type Scenario = (seen: Conversation) => ScriptedReply;

/**
 * Plays a list, one step a turn. A step may look at the conversation too. After the last one it says so and ends.
 * Questions beside the conversation are no turns, and are answered as by the model that stands in.
 */
export function steps(list: readonly (ScriptedReply | Scenario)[]): Scenario {
  return (seen) => {
    if (seen.aside !== null) return aside(seen);
    const step = seen.summaryWanted ? undefined : list[seen.turn];
    if (step !== undefined) return typeof step === 'function' ? step(seen) : step;
    const why = seen.summaryWanted ? 'A summary was asked for' : `The script has no step for turn ${seen.turn}`;
    return { text: `${why}; so far there were ${seen.results.length} tool results.` };
  };
}
