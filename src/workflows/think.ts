import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  isCancellation,
  proxyActivities,
  TimeoutFailure,
} from '@temporalio/workflow';
import type { Activities, CallModelInput, CallModelResult } from '../contract/activities.ts';
import type { CallPurpose } from '../contract/run.ts';
import type { Usage } from '../contract/messages.ts';
import { FAILURES } from '../contract/names.ts';
import type { Observation } from '../core/apply.ts';
import { modelFor } from '../core/aside/model-for.ts';
import { mayLose } from '../core/budget/reserve.ts';
import { isUsage, lostOf, sumOf, usedIn } from '../core/spending/attempts.ts';
import type { Decision } from '../core/decide.ts';
import type { LostCall } from '../core/spending/lost-calls.ts';
import type { Run } from '../core/run.ts';
import { tokensOf } from '../core/spending/spending.ts';

/** Calls the model once, for a turn or for one of the asides. Retries are the server's. */
export async function think(run: Run, purpose: Exclude<CallPurpose, 'compact'>): Promise<readonly Observation[]> {
  try {
    return [observed(purpose, await callModel(run, purpose))];
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    const usage = lostIn(error.cause);
    const broken = usage === undefined ? undefined : { purpose, usage };
    if (isCancellation(error)) return cancelled(error, broken === undefined ? [] : [broken]);
    const problem = error.cause?.message ?? 'it failed';
    return [
      { ...(isAside(purpose) ? { kind: purpose, result: null, problem } : failed(error)), ...(broken && { broken }) },
    ];
  }
}

function isAside(
  purpose: Exclude<CallPurpose, 'compact'>,
): purpose is Exclude<CallPurpose, 'compact' | 'turn' | 'plan'> {
  return purpose !== 'turn' && purpose !== 'plan';
}

/** Has the old turns summarised. Where the API cannot do it a model does, and where no model can, a rule will. */
export async function compactTurns(
  run: Run,
  { messages, by }: Extract<Decision, { kind: 'compact' }>,
  lost: readonly LostCall[] = [],
): Promise<readonly Observation[]> {
  if (by === 'rule') return [{ kind: 'compacted', summarised: null, lost }];
  try {
    const result = await callModel(run, 'compact', { messages, by });
    return [{ kind: 'compacted', summarised: { messages, by, result }, lost }];
  } catch (error) {
    const cause = error instanceof ActivityFailure ? error.cause : undefined;
    const usage = sumOf([paidFor(cause).usage, lostIn(cause)]);
    const paid: readonly LostCall[] = usage === undefined ? lost : [...lost, { purpose: 'compact', by, usage }];
    if (isCancellation(error)) return cancelled(error, paid);
    if (!(error instanceof ActivityFailure)) throw error;
    return await compactTurns(run, { kind: 'compact', messages, by: by === 'api' ? 'model' : 'rule' }, paid);
  }
}

/** A cancel is thrown on, unless there is something to pay; what there is counts as one call. */
function cancelled(error: unknown, paid: readonly LostCall[]): readonly Observation[] {
  const newest = paid.at(-1);
  if (newest === undefined) throw error;
  const usage = sumOf(paid.map((one) => one.usage)) ?? newest.usage;
  return [{ kind: 'cancelled', broken: { ...newest, usage } }];
}

async function callModel(
  run: Run,
  purpose: CallPurpose,
  compact?: CallModelInput['compact'],
): Promise<CallModelResult> {
  const { timeouts } = run.spec;
  const activity = proxyActivities<Activities>({
    startToCloseTimeout: timeouts.modelAttemptMs,
    scheduleToCloseTimeout: timeouts[TIMEOUTS[purpose]],
    heartbeatTimeout: timeouts.heartbeatMs,
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    retry: { initialInterval: 1_000, backoffCoefficient: 2, maximumInterval: 60_000 },
  });
  const turn = run.turn + 1;
  const what = purpose === 'turn' ? `turn ${turn}` : `${purpose} before turn ${turn}`;
  const model = modelFor(run.spec, purpose, compact?.by);
  const summary = `${what} · ${model.id} · ${run.messages.length} messages`;
  const lose = mayLose(run, model);
  const input: CallModelInput = {
    turn,
    messages: run.messages.length,
    compactions: run.compactions,
    purpose,
    round: run.rounds + 1,
    ...(lose !== undefined && { mayLose: lose }),
    ...(compact && { compact }),
  };
  return await activity.callModel.executeWithOptions({ summary }, [input]);
}

/** Each state of thinking has a time limit of its own. */
const TIMEOUTS = {
  turn: 'thinkingMs',
  plan: 'planningMs',
  critique: 'reflectingMs',
  completion: 'reflectingMs',
  loop: 'reflectingMs',
  loop_confirm: 'reflectingMs',
  compact: 'reflectingMs',
  summary: 'finishingMs',
} as const satisfies Record<CallPurpose, keyof Run['spec']['timeouts']>;

function observed(purpose: Exclude<CallPurpose, 'compact'>, result: CallModelResult): Observation {
  return purpose === 'turn' ? { kind: 'reply', result } : { kind: purpose, result };
}

function failed({ cause }: ActivityFailure): Extract<Observation, { kind: 'parked' | 'reply_lost' }> {
  const message = cause?.message ?? 'the model call failed';
  const type = cause instanceof ApplicationFailure ? cause.type : undefined;
  switch (type) {
    case FAILURES.modelNeedsOperator: {
      const reason = cause instanceof ApplicationFailure && cause.details?.[0] === 'credit' ? 'credit' : 'credentials';
      return { kind: 'parked', reason, message };
    }
    case FAILURES.modelPaidInVain:
      return { kind: 'reply_lost', why: 'paid_in_vain', message };
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
  const usage = cause instanceof ApplicationFailure ? cause.details?.[0] : undefined;
  return isUsage(usage) ? { usage } : {};
}

/**
 * What the attempts of a call used whose replies never came. A failure says it, and so does the last heartbeat of an
 * attempt that ran out of time, or whose worker died; all count from the first attempt on, so the newer has more.
 */
function lostIn(cause: Error | undefined): Usage | undefined {
  if (cause instanceof TimeoutFailure) return more(lostOf(usedIn(cause.lastHeartbeatDetails)), lostIn(cause.cause));
  const isDead = cause instanceof ApplicationFailure && cause.type === FAILURES.workerDied;
  if (isDead) return lostOf(usedIn(cause.details?.[0]));
  const isTelling = cause instanceof ApplicationFailure || cause instanceof CancelledFailure;
  const usage: unknown = isTelling ? cause.details?.[1] : undefined;
  return isUsage(usage) ? usage : undefined;
}

function more(one: Usage | undefined, other: Usage | undefined): Usage | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return tokensOf(one) >= tokensOf(other) ? one : other;
}

function outOfTime(cause: Error | undefined, message: string): string {
  if (!(cause instanceof TimeoutFailure)) return message;
  const last = cause.cause?.message;
  return last === undefined
    ? 'the model API gave no reply in time'
    : `the model API gave no reply in time; last: ${last}`;
}
