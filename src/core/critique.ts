import type { CallModelResult } from '../contract/activities.ts';
import type { Verdict } from '../contract/run.ts';
import type { Critique } from '../contract/spec.ts';
import { countCall } from './apply-reply.ts';
import { textOf } from './replies.ts';
import { note, sayAsUser, type Run } from './run.ts';
import { oneLine } from './sizes.ts';
import { told } from './told.ts';

/** The question of a critique. It stands behind the transcript in one request and is never kept. */
export const CRITIQUE_QUESTION = [
  'Step back and judge the work so far as a strict reviewer would, against the task. Do not go on with it.',
  'Answer with one JSON object and nothing else:',
  '{"action": "continue" | "retry" | "replan" | "complete", "reason": "one or two sentences", "confidence": 0 to 100}',
  'continue: the work is on its way. retry: the last step must be done again. replan: the plan does not lead to the goal.',
  'complete: the goal is reached, and nothing that was asked for is missing.',
].join('\n');

/** Marks the work for a critique where the spec wants one. What was judged once is not judged again. */
export function askCritique(run: Run, moment: Exclude<Critique['when'], 'never'>): Run {
  const { when } = run.spec.critique;
  const isWanted = when === 'every_turn' || when === moment;
  return isWanted && !run.judged ? { ...run, toReflect: true } : run;
}

/**
 * Follows a verdict. A critique that cannot be had or read changes nothing, and one that sends the work back too
 * often is no longer followed: it may not keep a run from ending.
 */
export function applyCritique(run: Run, result: CallModelResult | null, now: number): Run {
  const judged = { ...run, toReflect: false, judged: true };
  if (result === null) return judged;
  const counted = countCall(judged, result);
  const verdict = readVerdict(textOf(result.message));
  if (verdict === null)
    return note(counted, now, { type: 'model.problem', turn: run.turn, problem: 'the critique cannot be read' });
  const followed = allowed(run, verdict);
  return follow(note(counted, now, { type: 'critique.verdict', verdict, followed }), { ...verdict, action: followed });
}

/** What of a verdict is followed: a run that wants to complete is sent back `redoMax` times at most. */
function allowed({ redone, spec, ending }: Run, { action }: Verdict): Verdict['action'] {
  const sendsBack = action === 'retry' || action === 'replan' || (action === 'continue' && ending !== null);
  if (!sendsBack || redone < spec.critique.redoMax) return action;
  return ending === null ? 'continue' : 'complete';
}

function follow(run: Run, { action, reason }: Verdict): Run {
  const back: Run = { ...run, ending: null, redone: run.redone + 1 };
  switch (action) {
    case 'continue':
      return run.ending === null ? run : sayAsUser(back, told.notDone(reason));
    case 'retry':
      return sayAsUser(back, told.retry(reason));
    case 'replan':
      return { ...sayAsUser(back, told.replan(reason)), planned: false };
    case 'complete':
      return run.ending === null ? sayAsUser(run, told.goalReached(reason)) : run;
  }
}

/** The first JSON object in a text, if it is a verdict. */
export function readVerdict(text: string): Verdict | null {
  try {
    const parsed: unknown = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
    const { action, reason, confidence } = (parsed ?? {}) as Partial<Verdict>;
    if (typeof reason !== 'string' && reason !== undefined) return null;
    if (action === undefined || !['continue', 'retry', 'replan', 'complete'].includes(action)) return null;
    const sure = typeof confidence === 'number' ? Math.min(100, Math.max(0, confidence)) : 50;
    return { action, reason: oneLine(reason ?? '', 2_000), confidence: sure };
  } catch {
    return null;
  }
}
