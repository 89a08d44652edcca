import {
  ActivityFailure,
  ApplicationFailure,
  isCancellation,
  proxyActivities,
  TimeoutFailure,
} from '@temporalio/workflow';
import type { Activities } from '../contract/activities.ts';
import type { Usage } from '../contract/messages.ts';
import { FAILURES } from '../contract/names.ts';
import type { Observation } from '../core/apply.ts';
import type { Run } from '../core/run.ts';

/** Calls the model once for this turn, or for the closing summary. Retries are the server's. */
export async function think(run: Run, purpose: 'turn' | 'summary'): Promise<Observation> {
  const { timeouts, model } = run.spec;
  const { callModel } = proxyActivities<Activities>({
    startToCloseTimeout: timeouts.modelAttemptMs,
    scheduleToCloseTimeout: purpose === 'turn' ? timeouts.thinkingMs : timeouts.finishingMs,
    heartbeatTimeout: timeouts.heartbeatMs,
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    retry: { initialInterval: 1_000, backoffCoefficient: 2, maximumInterval: 60_000 },
  });
  const turn = run.turn + 1;
  const summary = purpose === 'turn' ? `turn ${turn} · ${model.id}` : `closing summary · ${model.id}`;
  const input = { turn, messages: run.messages.length, purpose, round: run.rounds + 1 };
  try {
    const result = await callModel.executeWithOptions({ summary }, [input]);
    return purpose === 'turn' ? { kind: 'reply', result } : { kind: 'summary', result };
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    return purpose === 'turn' ? lost(error) : { kind: 'summary', result: null };
  }
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
