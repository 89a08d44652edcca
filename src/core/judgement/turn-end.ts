import { EMIT_VALUE, TODO } from '../../contract/control-tools.ts';
import type { ToolCall } from '../../contract/tool-calls.ts';
import { closeTurn } from '../calls/apply-results.ts';
import { areOutputsComplete } from '../control/outputs.ts';
import { isActive, renderTodos } from '../control/todos.ts';
import { stop } from '../ending.ts';
import type { Run } from '../run.ts';
import { told } from '../told.ts';
import { checkTurn, judgeErrors } from './checks.ts';
import { askCritique, followVerdict, wantsCritique } from './critique.ts';
import { watchForLoops } from './loop.ts';

/** Ends a turn whose calls have all ended: tells the model their results, and judges what came of it. */
export function endTurn(run: Run, now: number): Run {
  const { calls } = run;
  const counted = { ...run, checks: checkTurn(run), errorsInRow: errorsInRow(run), watchedTurn: run.turn };
  const closed = closeTurn(withReminder(counted));
  return judgeTurn(closed, calls, now);
}

/** Each step may end the run, ask a person or have something done first; then the others wait for the next turn. */
function judgeTurn(run: Run, calls: readonly ToolCall[], now: number): Run {
  if (run.ending !== null) return run;
  const steps = [
    endIfTerminated,
    stopAfterErrors,
    (next: Run): Run => watchForLoops(next, calls, now),
    (next: Run): Run => endIfDelivered(next, calls),
    (next: Run): Run => critiqueTurn(next, calls, now),
  ];
  let judged = run;
  for (const step of steps) {
    judged = step(judged);
    if (judged.ending !== null || judged.matter !== null || judged.reflectOn !== null) return judged;
  }
  return judged;
}

/** A word of the agent's ends one turn: whoever sends the run back has it work until the agent says it again. */
function endIfTerminated(run: Run): Run {
  if (run.termination === null) return run;
  const { status, summary } = run.termination;
  const ended = { ...run, answer: summary, termination: null };
  return status === 'success'
    ? { ...ended, ending: { status: 'completed', reason: 'terminated' } }
    : stop(ended, 'gave_up', 'The agent gave up');
}

/** A command that ran and failed is news for the agent, not an error of the run: it neither counts nor clears. */
function errorsInRow({ calls, errorsInRow: before }: Run): number {
  const telling = calls.filter(({ result }) => result?.error !== 'shell_execute_error');
  if (telling.length === 0) return before;
  return telling.every(({ result }) => result?.status === 'error') ? before + 1 : 0;
}

function stopAfterErrors(run: Run): Run {
  const { consecutiveErrors } = run.spec.limits;
  if (consecutiveErrors === undefined || run.errorsInRow <= consecutiveErrors) return run;
  return stop(run, 'consecutive_errors', `${run.errorsInRow} turns in a row ended in nothing but errors`);
}

/**
 * Declared outputs that are all there end the run, unless its plan says that something is still to be done. Only a turn
 * that delivered or that changed the plan ends it so: a run that was sent back has all its outputs from before.
 */
function endIfDelivered(run: Run, calls: readonly ToolCall[]): Run {
  const isNews = calls.some(({ tool, result }) => DELIVERING.has(tool) && result?.status === 'success');
  if (!isNews || !areOutputsComplete(run) || run.todos.some(isActive)) return run;
  return { ...run, ending: { status: 'completed', reason: 'outputs_complete' } };
}

const DELIVERING: ReadonlySet<string> = new Set([EMIT_VALUE, TODO]);

function critiqueTurn(run: Run, calls: readonly ToolCall[], now: number): Run {
  const hadErrors = calls.some(({ result }) => result?.status === 'error');
  if (hadErrors && wantsCritique(run, 'after_errors')) {
    const verdict = judgeErrors(calls);
    const isKnown = verdict !== null && run.retries < (run.spec.critique.retriesPerStep ?? RULED_RETRIES_MAX);
    // Nobody was asked, so what a critique may still send back is not used up.
    return isKnown
      ? { ...followVerdict(run, { verdict, by: 'a rule' }, now), redone: run.redone }
      : askCritique(run, now);
  }
  return wantsCritique(run, 'every_turn') ? askCritique(run, now) : { ...run, retries: hadErrors ? run.retries : 0 };
}

/** How often in a row a rule has a failed call done again before a model is asked. */
const RULED_RETRIES_MAX = 2;

/** The reminder stands first among the results of the turn: a message of its own would part calls from results. */
function withReminder(run: Run): Run {
  const { todos, spec, turn, todosTurn } = run;
  const waited = turn - todosTurn;
  // A result that is no success begins with the word for what happened, and keeps it.
  const place = run.calls.find(({ result }) => result?.status === 'success');
  if (spec.remindAfterTurns === undefined || waited < spec.remindAfterTurns || !todos.some(isActive)) return run;
  if (place?.result === undefined) return run;
  const content = `${told.remind(waited, renderTodos(todos).join('\n'))}\n\n${place.result.content}`;
  const reminded = { ...place, result: { ...place.result, content } };
  return { ...run, todosTurn: turn, calls: run.calls.map((call) => (call.id === place.id ? reminded : call)) };
}
