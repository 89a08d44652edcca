import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client';

export type Elicitation = ElicitRequest['params'];

/** What a call says to a question of the server; undefined when nobody has been asked yet. */
export type Answering = (elicitation: Elicitation) => ElicitResult | undefined;

/** The calls that are open on one connection. */
export interface OpenCalls {
  /** Resolves to the function that takes the call out again. */
  readonly enter: (answering: Answering) => Promise<() => void>;
  /** Resolves to what is known to answer; undefined when nothing is. */
  readonly ask: (elicitation: Elicitation) => Promise<ElicitResult | undefined>;
}

interface Asked {
  readonly elicitation: Elicitation;
  readonly settle: (result: ElicitResult | undefined) => void;
}

/**
 * Finds the call that a question belongs to, which servers before 2026-07-28 do not say. While there are more open calls
 * than questions, questions wait for calls to end, and new calls wait for the questions. Then they are matched in order;
 * a wrong match does no harm, because a call takes only an answer to exactly its own question.
 */
export function createOpenCalls(): OpenCalls {
  const open: Answering[] = [];
  let asked: Asked[] = [];
  let waiting: (() => void)[] = [];

  const settle = (): void => {
    if (asked.length > 0 && open.length <= asked.length) {
      const now = asked;
      asked = [];
      for (const [index, { elicitation, settle: answer }] of now.entries()) {
        answer(open[index]?.(elicitation));
      }
    }
    if (asked.length > 0) return;
    const next = waiting;
    waiting = [];
    for (const go of next) go();
  };

  return {
    async enter(answering) {
      while (asked.length > 0) await new Promise<void>((resolve) => waiting.push(resolve));
      open.push(answering);
      return () => {
        const index = open.indexOf(answering);
        if (index >= 0) open.splice(index, 1);
        settle();
      };
    },
    ask: async (elicitation) =>
      await new Promise<ElicitResult | undefined>((resolve) => {
        asked.push({ elicitation, settle: resolve });
        settle();
      }),
  };
}
