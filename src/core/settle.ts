import type { Outcome } from '../contract/run.ts';
import type { ToolCallResult } from '../contract/tool-calls.ts';
import { atOwnLimit, mayBeRaised } from './budget/at-cap.ts';
import { applyDecided } from './calls/apply-decided.ts';
import { applyResult } from './calls/apply-results.ts';
import { isOpen } from './calls/call-life.ts';
import { closingResult } from './calls/outcomes.ts';
import { askForSummary, wantsSummary } from './ending.ts';
import { finish } from './finish.ts';
import { callHooksBeforeModel, callHooksBeforeStop } from './hooks/due-hooks.ts';
import { weighCompletion } from './judgement/completion.ts';
import { askLoopJudge, watchForLoops } from './judgement/loop.ts';
import { settleMatter } from './judgement/settle-matter.ts';
import { endTurn } from './judgement/turn-end.ts';
import { exceededLimit } from './limits.ts';
import { needsCompaction } from './memory/compaction.ts';
import { hear } from './people/inbox.ts';
import type { Run } from './run.ts';
import { notRun, told } from './told.ts';

/**
 * Everything that follows without a step of its own: what people decided, a turn that is complete, limits, words.
 * Called after each observation, by the handlers, and before each decision; a second time it changes nothing.
 */
export function settleRun(run: Run, now: number): Run {
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

/** Between turns the loop judge comes before the operator's hooks, and those before the model, once for each call of it. */
function beforeTurn(run: Run): Run {
  const judged = run.reflectOn === null ? askLoopJudge(run) : run;
  return judged.reflectOn === null && run.planned && !needsCompaction(run) ? callHooksBeforeModel(judged) : judged;
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
    if (weighed.reflectOn !== null || weighed.matter !== null) return weighed;
    if (weighed.ending === null) return settleRun(weighed, now);
    return weighed.ending.status === 'completed'
      ? finishHooked(weighed, weighed.ending, now)
      : settleEnding(weighed, weighed.ending, now);
  }
  const unjudged = { ...run, reflectOn: null };
  return wantsSummary(ending) && run.budget.purse.refused === null
    ? callHooksBeforeStop(askForSummary(unjudged), ending)
    : finishHooked(unjudged, ending, now);
}

/** Ends the run once the hooks before the stop have been run; a run that is cancelled waits for nothing. */
function finishHooked(run: Run, ending: Outcome, now: number): Run {
  if (ending.status === 'cancelled') return finish(run, null, now);
  const called = callHooksBeforeStop(run, ending);
  return called.hooks.due.length > 0 ? called : finish(called, null, now);
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

/** Closes what is open, without forgetting what is known of a call that was started. */
export function closeCalls(run: Run, result: ToolCallResult, now: number): Run {
  return run.calls
    .filter(isOpen)
    .reduce((next, call) => applyResult(next, { callId: call.id, result: closingResult(call, result) }, now), run);
}
