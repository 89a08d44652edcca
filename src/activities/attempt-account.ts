import { ApplicationFailure, Context } from '@temporalio/activity';
import type { Amount, CallBeat } from '../contract/activities.ts';
import { FAILURES } from '../contract/names.ts';
import type { Usage } from '../contract/messages.ts';
import { lostOf, noteUse, usedIn } from '../core/spending/attempts.ts';
import { tokensOf } from '../core/spending/spending.ts';
import { ModelError, type ModelReply } from '../models/model.ts';
import { withBeat } from './live.ts';
import { modelFailure } from './model-failure.ts';
import type { KeptReply, Watch } from './reply-keeper.ts';

/** A reply, and what other requests of the same call used whose replies never came. */
export interface AccountedReply {
  readonly reply: ModelReply;
  readonly lost?: Usage;
}

/**
 * Makes one attempt of a model call and keeps account of what its requests use, each under its own name. The account is
 * in the heartbeat, because that is all a next attempt gets to see: it takes over what it finds there. It is sent at once
 * when the API has counted the prompt, and once more when the attempt fails, so that little is lost with a worker. A
 * request that was refused, or that was never answered, is not in it.
 *
 * What is thrown carries the account too, for the workflow, in case there is no next attempt.
 */
export async function keepAccount(
  attempt: (watch: Watch) => Promise<KeptReply>,
  mayLose?: Amount,
): Promise<AccountedReply> {
  let used = usedIn(Context.current().info.heartbeatDetails);
  return await withBeat<CallBeat, AccountedReply>({ used }, async ({ show, now }) => {
    const watch: Watch = (request, { live, usage }) => {
      const isFirst = usage !== undefined && !(request in used);
      if (usage !== undefined) used = noteUse(used, request, usage);
      show({ ...live, used });
      if (isFirst) now();
    };
    try {
      const { request, reply } = await attempt(watch);
      return accounted(reply, lostOf(used, request));
    } catch (error) {
      now();
      throw error instanceof ModelError ? endOf(error, lostOf(used), mayLose) : error;
    }
  });
}

/** A retry may be paid for in vain as well, so one too many is for the workflow to decide, which knows the budget. */
function endOf(error: ModelError, lost: Usage | undefined, mayLose: Amount | undefined): Error {
  const failure = modelFailure(error, lost);
  if (error.kind !== 'unavailable' || lost === undefined || mayLose === undefined) return failure;
  const isWithin = (lost.costUsd ?? 0) <= mayLose.costUsd && tokensOf(lost) <= mayLose.tokens;
  return isWithin ? failure : ApplicationFailure.nonRetryable(error.message, FAILURES.modelPaidInVain, undefined, lost);
}

function accounted(reply: ModelReply, lost: Usage | undefined): AccountedReply {
  return lost === undefined ? { reply } : { reply, lost };
}

/** The end of a call whose whole reply was paid for and cannot be used. */
export function unusable(text: string, type: string, { reply: { usage }, lost }: AccountedReply): ApplicationFailure {
  return ApplicationFailure.nonRetryable(text, type, usage, lost);
}
