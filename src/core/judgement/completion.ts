import type { CallModelResult } from '../../contract/activities.ts';
import { countCall } from '../apply-reply.ts';
import { missingOutputs } from '../control/outputs.ts';
import { isActive, renderTodos } from '../control/todos.ts';
import { stop } from '../ending.ts';
import { textOf } from '../replies.ts';
import { note, sayAsUser, type Run } from '../run.ts';
import { told } from '../told.ts';
import { judgeCompletion } from './checks.ts';
import { askCritique, followVerdict, wantsCritique } from './critique.ts';
import { readCompletion } from './verdict.ts';

/** How often in a row a run is told what it still owes. */
const NUDGES_MAX = 3;

/**
 * Looks at a run that wants to complete: what it owes, what rules say, what a critique says, and what a model says that
 * is asked whether the task is done. Each may send it back, and each only so often. The run that comes back either goes
 * on (`ending` is null), reflects, or is free to complete.
 */
export function weighCompletion(run: Run, now: number): Run {
  const steps = [nudgeOwed, judgeByRule, judgeByModel, checkCompletion];
  let weighed = run;
  for (const step of steps) {
    weighed = step(weighed, now);
    if (weighed.ending?.status !== 'completed' || weighed.reflectOn !== null) return weighed;
  }
  return weighed;
}

function nudgeOwed(run: Run): Run {
  const missing = missingOutputs(run);
  if (missing.length > 0) {
    if (run.nudges >= NUDGES_MAX)
      return stop(run, 'outputs_missing', `The run ended without its outputs ${missing.join(', ')}`);
    return nudged(run, told.outputsMissing(missing));
  }
  const isOwed = run.spec.remindAfterTurns !== undefined && run.todos.some(isActive);
  const isSaid = run.ending?.status === 'completed' && run.ending.reason === 'terminated';
  return isOwed && run.nudges === 0 && !isSaid ? nudged(run, told.todosActive(renderTodos(run.todos))) : run;
}

function nudged(run: Run, words: string): Run {
  return { ...sayAsUser(run, words), ending: null, nudges: run.nudges + 1 };
}

function judgeByRule(run: Run, now: number): Run {
  const verdict = run.judged ? null : judgeCompletion(run);
  return verdict === null ? run : followVerdict(run, { verdict, by: 'a rule' }, now);
}

function judgeByModel(run: Run, now: number): Run {
  return wantsCritique(run, 'before_complete') ? askCritique(run, now) : run;
}

function checkCompletion(run: Run): Run {
  return run.spec.completionCheck === true && !run.checked ? { ...run, reflectOn: 'completion' } : run;
}

/** Takes what a model says that was asked whether the task is done; one that cannot be had changes nothing. */
export function applyCompletionCheck(run: Run, result: CallModelResult | null, now: number): Run {
  const checked: Run = { ...run, reflectOn: null, checked: true };
  if (result === null) return checked;
  const counted = countCall(checked, result, 'completion');
  const judgement = readCompletion(textOf(result.message));
  if (judgement === null)
    return note(counted, now, {
      type: 'model.problem',
      turn: run.turn,
      problem: 'the completion check cannot be read',
    });
  const noted = note(counted, now, { type: 'completion.checked', ...judgement });
  if (judgement.complete) return { ...noted, ending: { status: 'completed', reason: 'completion_check' } };
  if (run.redone >= run.spec.critique.redoMax) return noted;
  return { ...sayAsUser(noted, told.notComplete(judgement.reason)), ending: null, redone: run.redone + 1 };
}
