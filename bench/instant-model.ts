import type { Model, ModelReply } from '../src/models/model.ts';
import type { Models } from '../src/models/models.ts';

/** Source text, so that it compresses as what agents really read. About 2,000 characters. */
export const TWO_KILOBYTES = `
/** Chooses the next step from the run alone. What was observed has already been judged before. */
export function decide(run: Run, now: number): Decision {
  if (run.result !== null) return { kind: 'end', result: run.result };
  const held = run.paused ?? run.parked;
  const open = run.calls.filter(isOpen);
  return { kind: 'act', calls: nextBatch(run, open) };
}
`
  .repeat(6)
  .slice(0, 2_000);

/**
 * A model that answers at once, in the process: what remains of a turn is the runtime itself. Each conversation asks
 * for one call of `tool` a turn, `turns` times. The turns are counted by the results the model has seen, or, where
 * compaction may drop some, by its own calls: then it serves one run only.
 */
export function instantModel(
  turns: number,
  tool: string,
  { input = {}, counted = false }: { input?: unknown; counted?: boolean } = {},
): Model {
  let calls = 0;
  return {
    call: async ({ messages }) => {
      calls += 1;
      const turn = counted ? calls : Math.floor(messages.length / 2) + 1;
      return await Promise.resolve(turn > turns ? finalReply() : toolReply(turn, tool, input));
    },
    check: async () => await Promise.resolve(),
  };
}

export function modelsOf(model: Model): Models {
  return { choose: () => model, close: async () => await Promise.resolve() };
}

export function toolReply(turn: number, name: string, input: unknown): ModelReply {
  return {
    message: {
      role: 'assistant',
      content: [
        { type: 'text', text: TWO_KILOBYTES },
        { type: 'tool_use', id: `toolu_${turn}`, name, input },
      ],
    },
    stopReason: 'tool_use',
    usage: { input: 100, output: 500, cacheRead: 1_000, cacheWrite: 0, costUsd: 0 },
    model: 'offline-bench',
    requestId: null,
  };
}

/** The reply that ends a run. */
export function finalReply(): ModelReply {
  return {
    ...toolReply(0, '', null),
    message: { role: 'assistant', content: [{ type: 'text', text: 'done' }] },
    stopReason: 'end_turn',
  };
}
