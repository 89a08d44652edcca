import type { CallModelResult, HookResult, LeaseResult } from '../contract/activities.ts';
import type { Usage } from '../contract/messages.ts';
import type { Parking } from '../contract/run.ts';
import type { ToolCallResult, ToolQuestion } from '../contract/tool-calls.ts';
import { overdue, replaceApproval } from './people/approvals.ts';
import { applyReply } from './apply-reply.ts';
import { applyLease } from './budget/reserve.ts';
import { PROBLEMS_MAX, stop } from './ending.ts';
import { callHooks } from './hooks/due-hooks.ts';
import { applyHook } from './hooks/apply-hook.ts';
import { finish } from './finish.ts';
import type { DueHook } from './hooks/hooks.ts';
import { applyCompletionCheck } from './judgement/completion.ts';
import { applyCritique } from './judgement/critique.ts';
import { applyLoopJudgement } from './judgement/loop.ts';
import { compact, type Summarised } from './memory/compaction.ts';
import { applyPlan } from './plan.ts';
import { takeQuestion, takeResult } from './calls/outcomes.ts';
import { payForLost, tellOfLost, type LostCall } from './spending/lost-calls.ts';
import { eventText, note, sayAsUser, type Run } from './run.ts';
import { closeCalls, settleRun } from './settle.ts';
import { notRun, told } from './told.ts';

/** What came of a step. The workflow turns whatever happened into one of these, failures included. */
export type Observation =
  | { readonly kind: 'reply'; readonly result: CallModelResult }
  /** `usage` is that of a whole reply which was thrown away. */
  | ({
      readonly kind: 'reply_lost';
      readonly why: ReplyLost;
      readonly message: string;
      readonly usage?: Usage;
    } & Broken)
  | ({ readonly kind: 'parked'; readonly reason: Parking['reason']; readonly message: string } & Broken)
  | { readonly kind: 'plan'; readonly result: CallModelResult }
  | ({
      readonly kind: 'summary' | 'critique' | 'completion' | 'loop' | 'loop_confirm';
      readonly result: CallModelResult | null;
      /** Why there is none. */
      readonly problem?: string;
    } & Broken)
  | { readonly kind: 'hooked'; readonly due: DueHook; readonly result: HookResult }
  | { readonly kind: 'leased'; readonly result: LeaseResult; readonly isLast: boolean }
  | { readonly kind: 'result'; readonly callId: string; readonly result: ToolCallResult }
  | { readonly kind: 'asked'; readonly callId: string; readonly question: ToolQuestion; readonly durationMs: number }
  | { readonly kind: 'woken' }
  | { readonly kind: 'held_too_long' }
  /** `lost` was paid for summaries that could not be used. */
  | { readonly kind: 'compacted'; readonly summarised: Summarised | null; readonly lost?: readonly LostCall[] }
  | ({ readonly kind: 'cancelled' } & Broken);

/** Present when a model call failed for good after it was paid for. */
interface Broken {
  readonly broken?: LostCall;
}

/**
 * `rejected`: the API refuses the request for good. `context`: it no longer fits. `too_large`: it cannot be kept.
 * `paid_in_vain`: attempts that broke off have used what the call was reserved at.
 */
export type ReplyLost = 'rejected' | 'context' | 'too_large' | 'paid_in_vain';

/** Makes the next run from what was observed, and settles everything that follows from it without a step. */
export function apply(run: Run, observation: Observation, now: number): Run {
  const told = tellOfMissing(countLost(run, observation, now), observation, now);
  return settleRun(applyOne(told, observation, now), now);
}

/** Who should have judged and could not be asked changes nothing, but nobody may take its silence for its word. */
function tellOfMissing(run: Run, observation: Observation, now: number): Run {
  const problem = 'problem' in observation ? observation.problem : undefined;
  if (problem === undefined) return run;
  const told = eventText(`${observation.kind} cannot be had: ${problem}`);
  return note(run, now, { type: 'model.problem', turn: run.turn, problem: told });
}

/** Tells what attempts cost that came to nothing. `countCall` pays it with the reply, if there is one at last. */
function countLost(run: Run, observation: Observation, now: number): Run {
  const broken = 'broken' in observation ? observation.broken : undefined;
  if (broken !== undefined)
    return tellOfLost(payForLost(run, broken), { what: 'the call brought no reply', usage: broken.usage }, now);
  const lost = replyIn(observation)?.lost;
  return lost === undefined ? run : tellOfLost(run, { what: 'an earlier attempt broke off', usage: lost }, now);
}

function replyIn(observation: Observation): CallModelResult | null | undefined {
  switch (observation.kind) {
    case 'reply':
    case 'plan':
    case 'summary':
    case 'critique':
    case 'completion':
    case 'loop':
    case 'loop_confirm':
      return observation.result;
    case 'compacted':
      return observation.summarised?.result;
    default:
      return undefined;
  }
}

function applyOne(run: Run, observation: Observation, now: number): Run {
  switch (observation.kind) {
    case 'reply':
      return callHooks(applyReply(run, observation.result, now), 'after_model');
    case 'reply_lost':
      return applyLostReply(run, observation, now);
    case 'parked':
      return park(run, { reason: observation.reason, message: observation.message, since: now }, now);
    case 'plan':
      return applyPlan(run, observation.result, now);
    case 'critique':
      return applyCritique(run, observation.result, now);
    case 'completion':
      return applyCompletionCheck(run, observation.result, now);
    case 'loop':
    case 'loop_confirm':
      return applyLoopJudgement(run, { kind: observation.kind, result: observation.result }, now);
    case 'hooked':
      return applyHook(run, observation, now);
    case 'leased':
      return applyLease(run, observation, now);
    case 'summary':
      return finish(run, observation.result, now);
    case 'result':
      return takeResult(run, observation, now);
    case 'asked':
      return takeQuestion(run, observation, now);
    case 'woken':
      return expireOverdue(run, now);
    case 'held_too_long':
      // Neither the hold nor a question about the run may keep it from ending.
      return stop(
        { ...run, paused: null, parked: null, matter: null },
        'paused_too_long',
        'Nobody resumed the run in time',
      );
    case 'compacted':
      return compact(payForSummaries(run, observation.lost), observation.summarised, now);
    case 'cancelled':
      return cancel(run, now);
  }
}

function expireOverdue(run: Run, now: number): Run {
  return overdue(run.approvals, now).reduce((next, approval) => {
    const expired = { ...approval, status: 'expired' as const };
    const told = { ...next, approvals: replaceApproval(next.approvals, expired) };
    const noted = note(told, now, { type: 'approval.decided', id: approval.id, status: 'expired', by: 'nobody' });
    if (approval.onTimeout === 'deny' || approval.about !== undefined) return noted;
    return stop(noted, 'approval_expired', `Nobody answered "${approval.title}" in time`);
  }, run);
}

function applyLostReply(
  run: Run,
  { why, message, usage }: Extract<Observation, { kind: 'reply_lost' }>,
  now: number,
): Run {
  const next = { ...run, rounds: run.rounds + 1 };
  const paid = usage === undefined ? next : payForLost(next, { purpose: 'turn', usage });
  const noted = note(paid, now, { type: 'model.problem', turn: run.turn, problem: message });
  // It is called again, if the budget still covers it.
  if (why === 'paid_in_vain') return noted;
  if (why === 'rejected') return { ...noted, ending: { status: 'failed', error: 'ModelRejected', message } };
  const counted = { ...noted, problems: run.problems + 1 };
  if (counted.problems >= PROBLEMS_MAX) return stop(counted, why === 'context' ? 'context' : 'max_tokens', message);
  return why === 'context' ? { ...counted, compactionWanted: true } : sayAsUser(counted, told.tooLarge(message));
}

/** What was paid for and could not be used is spent all the same. */
function payForSummaries(run: Run, lost: readonly LostCall[] = []): Run {
  return lost.reduce(payForLost, run);
}

function park(run: Run, parked: Parking, now: number): Run {
  return note({ ...run, parked }, now, { type: 'run.parked', parked });
}

function cancel(run: Run, now: number): Run {
  const result = notRun('cancelled', 'cancelled', told.cancelled);
  const cancelled: Run = {
    ...run,
    cancelRequested: true,
    matter: null,
    hooks: { ...run.hooks, due: [] },
    ending: { status: 'cancelled', by: 'a person' },
  };
  return closeCalls(cancelled, result, now);
}
