import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client';
import { orAborted } from './or-aborted.ts';

export type Elicitation = ElicitRequest['params'];

/** What a call says to a question of the server; undefined when nobody has been asked yet. */
export type Answering = (elicitation: Elicitation) => ElicitResult | undefined;

/** How a call left: the server answered it, or was asked to stop; or nobody waits for it, and it may go on by itself. */
export type Leaving = 'ended' | 'given_up';

/** The calls that are open on one connection. */
export interface OpenCalls {
  /** Resolves to the function that takes the call out again; rejects with the reason of the signal. */
  readonly enter: (answering: Answering, signal: AbortSignal) => Promise<(how: Leaving) => void>;
  /** Resolves to what is known to answer; undefined when nothing is. */
  readonly ask: (elicitation: Elicitation) => Promise<ElicitResult | undefined>;
  /** True when its questions may be those of calls that were given up: new calls want another connection. */
  readonly isMuddled: () => boolean;
}

interface Asked {
  readonly elicitation: Elicitation;
  readonly settle: (result: ElicitResult | undefined) => void;
}

/**
 * Finds the call that a question belongs to, which servers before 2026-07-28 do not say. While there are more open calls
 * than questions, questions wait for calls to end, and new calls wait for the questions. Then they are matched in order;
 * a wrong match among calls that all ask does no harm, because a call takes only an answer to exactly its own question.
 * A call that does not ask must never be matched: it would end in the middle, and be made twice. So nothing is matched
 * any more once a call was given up, which may have asked or may still ask.
 */
export function createOpenCalls(): OpenCalls {
  const open: Answering[] = [];
  let asked: Asked[] = [];
  let waiting: (() => void)[] = [];
  let hasAsked = false;
  let hasGivenUp = false;

  const settle = (): void => {
    if (asked.length > 0 && (open.length <= asked.length || hasGivenUp)) {
      const now = asked;
      asked = [];
      for (const [index, { elicitation, settle: answer }] of now.entries()) {
        answer(hasGivenUp ? undefined : open[index]?.(elicitation));
      }
    }
    if (asked.length > 0) return;
    const next = waiting;
    waiting = [];
    for (const go of next) go();
  };

  return {
    async enter(answering, signal) {
      while (asked.length > 0) await orAborted(new Promise<void>((resolve) => waiting.push(resolve)), signal);
      open.push(answering);
      return (how) => {
        const index = open.indexOf(answering);
        if (index >= 0) open.splice(index, 1);
        hasGivenUp ||= how === 'given_up';
        settle();
      };
    },
    ask: async (elicitation) =>
      await new Promise<ElicitResult | undefined>((resolve) => {
        hasAsked = true;
        asked.push({ elicitation, settle: resolve });
        settle();
      }),
    isMuddled: () => hasAsked && hasGivenUp,
  };
}
