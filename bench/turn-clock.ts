import type { Model, ModelReply } from '../src/models/model.ts';
import { finalReply, toolReply } from './instant-model.ts';

/** A model that asks for all its calls in one reply and takes the time until it has their results. */
export interface TurnClock {
  readonly model: Model;
  /** Milliseconds from the reply to the request that has the results of its calls. */
  readonly elapsedMs: () => number;
}

export interface Wanted {
  readonly name: string;
  readonly input: unknown;
}

export function createTurnClock(calls: readonly Wanted[]): TurnClock {
  let repliedAt = 0;
  let elapsedMs = 0;
  const reply: ModelReply = {
    ...toolReply(1, '', null),
    message: {
      role: 'assistant',
      content: calls.map(({ name, input }, index) => ({ type: 'tool_use', id: `toolu_${index}`, name, input })),
    },
  };
  return {
    model: {
      async call({ messages }) {
        const isFirst = messages.length === 1;
        if (!isFirst) elapsedMs = performance.now() - repliedAt;
        repliedAt = performance.now();
        return await Promise.resolve(isFirst ? reply : finalReply());
      },
      check: async () => await Promise.resolve(),
    },
    elapsedMs: () => elapsedMs,
  };
}
