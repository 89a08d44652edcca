import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { ElicitResult } from '@modelcontextprotocol/client';
import type { ToolAnswer } from '../contract/tool-calls.ts';
import { canonicalJson } from '../tools/digest.ts';
import type { Elicitation } from './open-calls.ts';

/** A call of a server before 2026-07-28 is made anew for each answer; a question is known again by its digest. */
const legacyState = z.strictObject({
  era: z.literal('legacy'),
  digest: z.string(),
  /** How many of the same digest the call had been asked before. */
  nth: z.int().min(0),
});

/** A newer server wants back its own state, with an answer to each of its questions. */
const modernState = z.strictObject({
  era: z.literal('modern'),
  requestState: z.string().optional(),
  requests: z.record(z.string(), z.looseObject({ message: z.string() })),
  responses: z.record(z.string(), z.unknown()),
  /** The question of `requests` that was put to a person. */
  key: z.string(),
});

const stateSchema = z.discriminatedUnion('era', [legacyState, modernState]);

export type AskedState = z.infer<typeof stateSchema>;

/** What a question is, or would be, with an answer that may have come. */
export interface Asked {
  readonly state: string;
  /** The latest answer to it. */
  readonly answer: ToolAnswer | undefined;
}

/** The round a newer server is in. */
export interface Round {
  readonly requestState: string | undefined;
  readonly requests: Readonly<Record<string, Elicitation>>;
  readonly responses: Readonly<Record<string, ElicitResult>>;
  readonly key: string;
}

/** Knows the questions of one call of an older server again, the second time it asks the same as well. */
export function createAsked(answers: readonly ToolAnswer[]): (elicitation: Elicitation) => Asked {
  const times = new Map<string, number>();
  return (elicitation) => {
    const digest = digestOf(elicitation);
    const nth = times.get(digest) ?? 0;
    times.set(digest, nth + 1);
    const state = JSON.stringify({ era: 'legacy', digest, nth });
    return { state, answer: answers.findLast((answer) => answer.state === state) };
  };
}

/** The round that the latest answer belongs to. */
export function roundOf(answers: readonly ToolAnswer[]): Round | undefined {
  const state = parsed(answers.at(-1)?.state);
  if (state?.era !== 'modern' || !Object.hasOwn(state.requests, state.key)) return undefined;
  const { requestState, requests, responses, key } = state;
  // What stands here is what a checked answer of the server said.
  return { requestState, requests: requests as never, responses: responses as never, key };
}

export function stateOf({ requestState, requests, responses, key }: Round): string {
  return JSON.stringify({
    era: 'modern',
    ...(requestState !== undefined && { requestState }),
    requests,
    responses,
    key,
  });
}

function parsed(state: string | undefined): AskedState | undefined {
  if (state === undefined) return undefined;
  try {
    const result = stateSchema.safeParse(JSON.parse(state));
    return result.success ? result.data : undefined;
  } catch {
    return undefined;
  }
}

/** An address is new each time it is asked for, so only what leads to it counts. */
function digestOf(elicitation: Elicitation): string {
  const { message } = elicitation;
  const asked =
    elicitation.mode === 'url'
      ? { message, place: URL.canParse(elicitation.url) ? new URL(elicitation.url).origin : '' }
      : { message, schema: elicitation.requestedSchema };
  return createHash('sha256').update(canonicalJson(asked)).digest('hex');
}
