import type { CallModelResult, HookResult, LeaseResult } from '../contract/activities.ts';
import type { AcceptedAnswer, Approval } from '../contract/approvals.ts';
import type { Usage } from '../contract/messages.ts';
import type { Outcome, Parking } from '../contract/run.ts';
import type { ToolCallResult, ToolQuestion } from '../contract/tool-calls.ts';
import { overdue, replaceApproval } from './people/approvals.ts';
import { isOpen, moved } from './calls/call-life.ts';
import { applyReply } from './apply-reply.ts';
import { applyResult } from './calls/apply-results.ts';
import { atOwnLimit, mayBeRaised } from './budget/at-cap.ts';
import { applyLease } from './budget/reserve.ts';
import { askForSummary, PROBLEMS_MAX, stop, wantsSummary } from './ending.ts';
import { callHooks, callHooksBeforeModel, callHooksBeforeStop } from './hooks/due-hooks.ts';
import { applyHook } from './hooks/apply-hook.ts';
import { finish } from './finish.ts';
import type { DueHook } from './hooks/hooks.ts';
import { hear } from './people/inbox.ts';
import { applyCompletionCheck, weighCompletion } from './judgement/completion.ts';
import { applyCritique } from './judgement/critique.ts';
import { applyLoopJudgement, watchForLoops } from './judgement/loop.ts';
import { settleMatter } from './judgement/settle-matter.ts';
import { endTurn } from './judgement/turn-end.ts';
import { compact, needsCompaction, type Summarised } from './memory/compaction.ts';
import { applyPlan } from './plan.ts';
import { exceededLimit } from './limits.ts';
import { closingResult, settleOpen, takeQuestion, takeResult } from './calls/outcomes.ts';
import { payForLost, tellOfLost, type LostCall } from './lost-calls.ts';
import { note, sayAsUser, type Run } from './run.ts';
import { oneLine } from './sizes.ts';
import { notRun, resultOfApproval, told } from './told.ts';

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
    } & Broken)
  | { readonly kind: 'hooked'; readonly due: DueHook; readonly result: HookResult }
  | { readonly kind: 'leased'; readonly result: LeaseResult; readonly isLast: boolean }
  | { readonly kind: 'result'; readonly callId: string; readonly result: ToolCallResult }
  | { readonly kind: 'asked'; readonly callId: string; readonly question: ToolQuestion; readonly durationMs: number }
  | { readonly kind: 'woken' }
  | { readonly kind: 'held_too_long' }
  /** `lost` was paid for summaries that could not be used. */
  | { readonly kind: 'compacted'; readonly summarised: Summarised | null; readonly lost?: readonly Usage[] }
  | ({ readonly kind: 'cancelled' } & Broken);

/** Present when a model call failed for good after it was paid for. */
interface Broken {
  readonly broken?: LostCall;
}

/** `rejected`: the API refuses the request for good. `context`: it no longer fits. `too_large`: it cannot be kept.
 * `paid_in_vain`: attempts that broke off have used what the call was reserved at. */
export type ReplyLost = 'rejected' | 'context' | 'too_large' | 'paid_in_vain';

/** Makes the next run from what was observed, and settles everything that follows from it without a step. */
export function apply(run: Run, observation: Observation, now: number): Run {
  return settleTurn(applyOne(countLost(run, observation, now), observation, now), now);
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
      return stop(run, 'paused_too_long', 'Nobody resumed the run in time');
    case 'compacted':
      return compact(payForSummaries(run, observation.lost), observation.summarised, now);
    case 'cancelled':
      return cancel(run, now);
  }
}

/** Everything that needs no step of its own: what people decided, a turn that is complete, limits, words. */
function settleTurn(run: Run, now: number): Run {
  if (run.result !== null) return run;
  let next = settleMatter(applyDecided(run, now), now);
  if (next.matter !== null) return next;
  if (next.calls.length > 0) next = settleCalls(next, now);
  if (next.calls.length > 0) return next;
  next = watchWords(hear(next), now);
  if (next.ending === null && next.matter === null) next = stopAtLimit(next, now);
  if (next.matter !== null) return next;
  return next.ending === null ? beforeTurn(next) : settleEnding(next, next.ending, now);
}

function settleCalls(run: Run, now: number): Run {
  const next = stopCallsPastLimits(run, now);
  return next.calls.some(isOpen) ? next : endTurn(next, now);
}

/** Between turns the operator's hooks come before the model, once for each call of it. */
function beforeTurn(run: Run): Run {
  return run.reflectOn === null && run.planned && !needsCompaction(run) ? callHooksBeforeModel(run) : run;
}

/** A reply without calls ends no turn, but it may say for the fourth time what it said before. */
function watchWords(run: Run, now: number): Run {
  if (run.turn === run.watchedTurn) return run;
  const watched = { ...run, watchedTurn: run.turn };
  return run.ending?.status === 'completed' ? watched : watchForLoops(watched, [], now);
}

/** A run that wants to complete may be sent back first; one that was stopped may have a last word. */
function settleEnding(run: Run, ending: Outcome, now: number): Run {
  if (ending.status === 'completed') {
    const weighed = weighCompletion(run, now);
    if (weighed.reflectOn !== null || weighed.matter !== null || weighed.ending === null) return weighed;
    return weighed.ending.status === 'completed'
      ? finishHooked(weighed, weighed.ending, now)
      : settleEnding(weighed, weighed.ending, now);
  }
  const unjudged = { ...run, reflectOn: null };
  return wantsSummary(ending)
    ? callHooksBeforeStop(askForSummary(unjudged), ending)
    : finishHooked(unjudged, ending, now);
}

/** Ends the run once the hooks before the stop have been run; a run that is cancelled waits for nothing. */
function finishHooked(run: Run, ending: Outcome, now: number): Run {
  if (ending.status === 'cancelled') return finish(run, null, now);
  const called = callHooksBeforeStop(run, ending);
  return called.hooks.due.length > 0 ? called : finish(called, null, now);
}

/** Makes known what people did, at once or between turns; called by the handlers and before each decision. */
export function settleNow(run: Run, now: number): Run {
  return settleTurn(run, now);
}

function applyDecided(run: Run, now: number): Run {
  return run.calls
    .filter(({ status }) => status === 'awaiting_approval')
    .reduce((next, call) => {
      const approval = next.approvals.findLast(({ callId }) => callId === call.id);
      if (approval === undefined || approval.status === 'open') return next;
      const heard = withShortAnswer(next, approval);
      const settled = settleOpen(heard, { call, approval }, now);
      if (settled !== null) return settled;
      const result = resultOfApproval(approval);
      if (result !== null) return applyResult(heard, { callId: call.id, result }, now);
      return { ...next, calls: next.calls.map((other) => (other.id === call.id ? moved(other, 'scheduled') : other)) };
    }, run);
}

/** The model has heard the whole answer; what is kept for a second answerer is who, when, and the first words. */
function withShortAnswer(run: Run, approval: Approval): Run {
  const { answer } = approval;
  if (answer === undefined) return run;
  const short: AcceptedAnswer = {
    ...answer,
    ...(answer.note !== undefined && { note: oneLine(answer.note, 300) }),
    ...(answer.text !== undefined && { text: oneLine(answer.text, 300) }),
  };
  return { ...run, approvals: replaceApproval(run.approvals, { ...approval, answer: short }) };
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

function stopCallsPastLimits(run: Run, now: number): Run {
  const hit = run.ending?.status === 'stopped' ? run.ending : exceededLimit(run);
  // Calls cost no model's money, so those that were asked for are run before a person is asked to top up.
  if (hit === undefined || ('cause' in hit && mayBeRaised(run, hit.cause))) return run;
  const result = notRun('cancelled', 'cancelled', told.limit(hit.message));
  return closeCalls(run, result, now);
}

function stopAtLimit(run: Run, now: number): Run {
  const hit = exceededLimit(run);
  return hit === undefined ? run : atOwnLimit(run, hit, now);
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
function payForSummaries(run: Run, lost: readonly Usage[] = []): Run {
  return lost.reduce((next, usage) => payForLost(next, { purpose: 'compact', usage }), run);
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

function closeCalls(run: Run, result: ToolCallResult, now: number): Run {
  return run.calls
    .filter(isOpen)
    .reduce((next, call) => applyResult(next, { callId: call.id, result: closingResult(call, result) }, now), run);
}
