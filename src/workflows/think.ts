import {
  ActivityFailure,
  ApplicationFailure,
  isCancellation,
  proxyActivities,
  TimeoutFailure,
} from '@temporalio/workflow';
import type { Activities, CallModelResult, CallPurpose } from '../contract/activities.ts';
import type { Usage } from '../contract/messages.ts';
import { FAILURES } from '../contract/names.ts';
import type { Observation } from '../core/apply.ts';
import type { Run } from '../core/run.ts';

/** Calls the model once, for a turn or for one of the asides. Retries are the server's. */
export async function think(run: Run, purpose: CallPurpose): Promise<readonly Observation[]> {
  const { timeouts, model } = run.spec;
  const { callModel } = proxyActivities<Activities>({
    startToCloseTimeout: timeouts.modelAttemptMs,
    scheduleToCloseTimeout: timeouts[TIMEOUTS[purpose]],
    heartbeatTimeout: timeouts.heartbeatMs,
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    retry: { initialInterval: 1_000, backoffCoefficient: 2, maximumInterval: 60_000 },
  });
  const turn = run.turn + 1;
  const what = purpose === 'turn' ? `turn ${turn}` : `${purpose} before turn ${turn}`;
  const summary = `${what} · ${model.id} · ${run.messages.length} messages`;
  const input = { turn, messages: run.messages.length, purpose, round: run.rounds + 1 };
  try {
    return [observed(purpose, await callModel.executeWithOptions({ summary }, [input]))];
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    return [purpose === 'turn' || purpose === 'plan' ? lost(error) : { kind: purpose, result: null }];
  }
}

/** Each state of thinking has a time limit of its own. */
const TIMEOUTS = {
  turn: 'thinkingMs',
  plan: 'planningMs',
  critique: 'reflectingMs',
  summary: 'finishingMs',
} as const satisfies Record<CallPurpose, keyof Run['spec']['timeouts']>;

function observed(purpose: CallPurpose, result: CallModelResult): Observation {
  return purpose === 'turn' ? { kind: 'reply', result } : { kind: purpose, result };
}

function lost({ cause }: ActivityFailure): Observation {
  const message = cause?.message ?? 'the model call failed';
  const type = cause instanceof ApplicationFailure ? cause.type : undefined;
  switch (type) {
    case FAILURES.modelNeedsOperator: {
      const reason = cause instanceof ApplicationFailure && cause.details?.[0] === 'credit' ? 'credit' : 'credentials';
      return { kind: 'parked', reason, message };
    }
    case FAILURES.modelRejected:
      return { kind: 'reply_lost', why: 'rejected', message };
    case FAILURES.contextOverflow:
      return { kind: 'reply_lost', why: 'context', message };
    case FAILURES.replyTooLarge:
      return { kind: 'reply_lost', why: 'too_large', message, ...paidFor(cause) };
    default:
      return { kind: 'parked', reason: 'model_unreachable', message: outOfTime(cause, message) };
  }
}

/** A reply that was thrown away was paid for all the same. */
function paidFor(cause: Error | undefined): { readonly usage?: Usage } {
  const usage = cause instanceof ApplicationFailure ? (cause.details?.[0] as Usage | undefined) : undefined;
  return usage === undefined ? {} : { usage };
}

function outOfTime(cause: Error | undefined, message: string): string {
  if (!(cause instanceof TimeoutFailure)) return message;
  const last = cause.cause?.message;
  return last === undefined
    ? 'the model API gave no reply in time'
    : `the model API gave no reply in time; last: ${last}`;
}
