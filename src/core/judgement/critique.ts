import type { CallModelResult } from '../../contract/activities.ts';
import type { Verdict } from '../../contract/run.ts';
import type { CritiqueMoment } from '../../contract/terms.ts';
import { countCall } from '../apply-reply.ts';
import { callHooks } from '../hooks/due-hooks.ts';
import { isUnattended } from '../people/questions.ts';
import { textOf } from '../replies.ts';
import { note, sayAsUser, type Run } from '../run.ts';
import { spentOn } from '../spending/spending.ts';
import { told } from '../told.ts';
import { askAboutRun } from './question.ts';
import { readVerdict } from './verdict.ts';

/** The question of a critique. It stands behind the transcript in one request and is never kept. */
export const CRITIQUE_QUESTION = [
  'Step back and judge the work so far as a strict reviewer would, against the task. Do not go on with it.',
  'Answer with one JSON object and nothing else:',
  '{"action": "continue" | "retry" | "replan" | "complete", "reason": "one or two sentences", "confidence": 0 to 100}',
  'continue: the work is on its way. retry: the last step must be done again. replan: the plan does not lead to the goal.',
  'complete: the goal is reached, and nothing that was asked for is missing.',
].join('\n');

/** Whether the spec wants the work judged at a moment. What was judged once is not judged again. */
export function wantsCritique(run: Run, moment: CritiqueMoment): boolean {
  const { when, everyTurns } = run.spec.critique;
  if (run.judged) return false;
  if (moment === 'every_turn' && everyTurns !== undefined && run.turn % everyTurns === 0) return true;
  // A list names its moments; the word "every_turn" alone has always meant the end as well.
  if (typeof when !== 'string') return when.includes(moment);
  return when === moment || (when === 'every_turn' && moment === 'before_complete');
}

/** Has a model judge the work before the next step, unless critiques have used up what they may. */
export function askCritique(run: Run, now: number): Run {
  const { calls, costUsd } = run.spec.critique;
  const spent = spentOn(run.totals, 'critique');
  if (spent.calls < (calls ?? Infinity) && spent.costUsd < (costUsd ?? Infinity))
    return { ...run, reflectOn: 'critique' };
  const message = `Critiques have used up what they may: ${spent.calls} calls, $${spent.costUsd.toFixed(4)}`;
  const isTold = run.log.kept.some((event) => event.type === 'limit.reached' && event.limit === 'critique');
  const judged = { ...run, judged: true };
  return isTold ? judged : note(judged, now, { type: 'limit.reached', limit: 'critique', message });
}

/** Takes a verdict. A critique that cannot be had or read changes nothing. */
export function applyCritique(run: Run, result: CallModelResult | null, now: number): Run {
  const judged: Run = { ...run, reflectOn: null, judged: true };
  if (result === null) return judged;
  const counted = countCall(judged, result, 'critique');
  const verdict = readVerdict(textOf(result.message));
  if (verdict === null)
    return note(counted, now, { type: 'model.problem', turn: run.turn, problem: 'the critique cannot be read' });
  const { askBelow } = run.spec.critique;
  const isSure = askBelow === undefined || verdict.confidence >= askBelow;
  return isSure || isUnattended(run)
    ? followVerdict(counted, { verdict, by: 'a model' }, now)
    : askWhich(counted, verdict, now);
}

function askWhich(run: Run, verdict: Verdict, now: number): Run {
  const { action, reason, confidence } = verdict;
  return askAboutRun(
    run,
    {
      matter: { about: 'critique', verdict },
      title: `The critique is not sure (${confidence} of 100): ${action}? ${reason}`,
      reason: `a verdict below ${run.spec.critique.askBelow} goes to a person`,
      options: [
        { id: 'continue', label: 'Continue: the work is on its way' },
        { id: 'retry', label: 'Retry: the last step must be done again, for the reason given' },
        { id: 'replan', label: 'Replan: the plan does not lead to the goal' },
        { id: 'complete', label: 'Complete: the goal is reached' },
      ],
      fallback: run.ending === null ? 'continue' : 'complete',
    },
    now,
  );
}

/** A verdict, and whose it is. */
export interface Judged {
  readonly verdict: Verdict;
  readonly by: string;
  /** What a person decided is followed without bounds. */
  readonly isByPerson?: boolean;
}

/**
 * Follows a verdict. One that sends the work back too often is no longer followed: a critique may not keep a run from
 * ending.
 */
export function followVerdict(run: Run, { verdict, by, isByPerson = false }: Judged, now: number): Run {
  const followed = isByPerson ? verdict.action : allowed(run, verdict);
  const noted = note({ ...run, judged: true }, now, { type: 'critique.verdict', verdict, followed, by });
  const done = { ...follow(noted, { ...verdict, action: followed }), verdict: followed };
  return callHooks(done, 'after_critique', { ...verdict, followed, by });
}

/** What of a verdict is followed: a run is sent back `redoMax` times at most, and one step `retriesPerStep` times. */
function allowed({ redone, retries, spec, ending }: Run, { action }: Verdict): Verdict['action'] {
  const sendsBack = action === 'retry' || action === 'replan' || (action === 'continue' && ending !== null);
  const { redoMax, retriesPerStep = Infinity } = spec.critique;
  if (!sendsBack) return action;
  if (redone >= redoMax) return ending === null ? 'continue' : 'complete';
  // A step that was done again in vain wants another way, not one more attempt.
  return action === 'retry' && retries >= retriesPerStep ? 'replan' : action;
}

function follow(run: Run, { action, reason }: Verdict): Run {
  const back: Run = { ...run, ending: null, completing: null, redone: run.redone + 1 };
  switch (action) {
    case 'continue':
      return run.ending === null ? { ...run, retries: 0 } : sayAsUser(back, told.notDone(reason));
    case 'retry':
      return sayAsUser({ ...back, retries: run.retries + 1 }, told.retry(reason));
    case 'replan':
      return replan({ ...back, retries: 0 }, reason);
    case 'complete':
      return run.ending === null ? { ...sayAsUser(run, told.goalReached(reason)), completing: 'critique' } : run;
  }
}

/** Goes back to the plan, with the reason in front of the model. */
export function replan(run: Run, reason: string): Run {
  return { ...sayAsUser(run, told.replan(reason)), planned: false };
}
