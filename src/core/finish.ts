import type { CallModelResult } from '../contract/activities.ts';
import type { Outcome, RunResult, StopReason } from '../contract/run.ts';
import { KIB } from '../contract/limits.ts';
import { supersede } from './people/approvals.ts';
import { countCall } from './apply-reply.ts';
import { textOf } from './replies.ts';
import { eventText, note, say, type Run } from './run.ts';
import { fitText } from './sizes.ts';

/** The last words in result and memo. */
const ANSWER_BYTES_MAX = 128 * KIB;

/**
 * Ends the run. With a closing summary from the model it is the answer; without one, the last words are, or an
 * account by rule.
 */
export function finish(run: Run, summary: CallModelResult | null, now: number): Run {
  const outcome: Outcome = run.ending ?? { status: 'completed' };
  const heard = summary === null ? run : hearSummary(run, summary);
  const text = (summary === null ? '' : textOf(summary.message)) || run.answer || accountByRule(run, outcome);
  const result: RunResult = {
    runId: run.spec.runId,
    outcome,
    answer: fitText(text, ANSWER_BYTES_MAX),
    totals: heard.totals,
    stopReason: stopReasonOf(outcome),
    outputs: run.outputs,
    blocked: run.todos.filter(({ status }) => status === 'blocked').map(({ content }) => content),
  };
  const approvals = heard.approvals.map(supersede);
  const done: Run = { ...heard, approvals, answer: result.answer, result, state: outcome.status, since: now };
  return note(done, now, { type: 'run.ended', outcome, answer: eventText(result.answer) });
}

/** Every way in which a run ends, in one word. */
function stopReasonOf(outcome: Outcome): StopReason {
  switch (outcome.status) {
    case 'completed':
      return outcome.reason ?? 'answered';
    case 'stopped':
      return outcome.reason;
    case 'failed':
    case 'cancelled':
      return outcome.status;
  }
}

function hearSummary(run: Run, summary: CallModelResult): Run {
  const counted = countCall(run, summary, 'summary');
  return summary.message.content.length > 0 ? say(counted, summary.message) : counted;
}

function accountByRule(run: Run, outcome: Outcome): string {
  const { turns, toolCalls, denied, expired, unknown } = run.totals;
  const why = outcome.status === 'stopped' || outcome.status === 'failed' ? `: ${outcome.message}` : '';
  const calls = `${toolCalls} tool calls in ${turns} turns; ${denied} denied, ${expired} expired, ${unknown} of unknown outcome`;
  return `The run ${outcome.status === 'completed' ? 'completed' : `was ${outcome.status}`}${why}. It made ${calls}.`;
}
