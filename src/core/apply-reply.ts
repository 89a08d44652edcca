import type { CallModelResult } from '../contract/activities.ts';
import type { CallPurpose } from '../contract/run.ts';
import type { AssistantMessage, ToolUseBlock } from '../contract/messages.ts';
import { plus } from './spending/attempts.ts';
import { spendOf } from './budget/reserve.ts';
import { ended } from './calls/call-life.ts';
import { openCalls } from './calls/calls.ts';
import { PROBLEMS_MAX, stop } from './ending.ts';
import { textOf, thoughtOf, toolUses } from './replies.ts';
import { closeTurn } from './calls/apply-results.ts';
import { eventText, note, say, sayAsUser, type Run } from './run.ts';
import { pay, tokensOf } from './spending/spending.ts';
import { notRun, told } from './told.ts';

/** How often in a row the API may pause a turn of its own server-side tools. */
const PAUSES_MAX = 10;

/** Takes a reply of the model: counts it, keeps it exactly as it came, and follows the reason it ended with. */
export function applyReply(run: Run, result: CallModelResult, now: number): Run {
  const counted = count(run, result, now);
  const { message, stopReason, calls: checks } = result;
  const uses = toolUses(message);
  if (stopReason === 'refusal') return refused(counted, message);
  if (new Set(uses.map(({ id }) => id)).size < uses.length)
    return unusable(counted, 'two calls of one reply had the same id', 'failed');
  // An empty message cannot be sent again, so it is not kept.
  const kept = message.content.length > 0 ? say(counted, message) : counted;
  if (uses.length === 0) return followWords(kept, result);
  if (stopReason === 'tool_use') return openCalls({ ...kept, problems: 0 }, { uses, checks }, now);
  return followUnrun(closeUnrun(kept, uses), stopReason);
}

/** A reply without calls. */
function followWords(run: Run, { message, stopReason }: CallModelResult): Run {
  switch (stopReason) {
    case 'tool_use':
    case 'end_turn':
    case 'stop_sequence':
      return {
        ...run,
        problems: 0,
        answer: textOf(message),
        ending: { status: 'completed', reason: run.completing ?? 'answered' },
      };
    case 'pause_turn':
      return paused(run);
    case 'max_tokens':
      return unusable(sayAsUser(run, told.cutReply), CUT, 'max_tokens');
    case 'model_context_window_exceeded':
      // No conversation may end with a word of the model's.
      return overflown(sayAsUser(run, told.cutReply));
    default:
      return unusable(sayAsUser(run, told.unknownStop(stopReason)), `unknown stop reason ${stopReason}`, 'failed');
  }
}

/** A reply whose calls were not run, because it ended with another reason than to have them run. */
function followUnrun(run: Run, stopReason: string): Run {
  switch (stopReason) {
    case 'pause_turn':
      return paused(run);
    case 'max_tokens':
      return unusable(run, CUT, 'max_tokens');
    case 'model_context_window_exceeded':
      return overflown(run);
    default:
      return unusable(run, `replies ended with ${stopReason} but asked for calls`, 'failed');
  }
}

const CUT = 'replies were cut at max_tokens';

function overflown(run: Run): Run {
  return { ...unusable(run, 'the conversation does not fit the model', 'context'), compactionWanted: true };
}

function count(run: Run, result: CallModelResult, now: number): Run {
  const { usage, stopReason, durationMs, message } = result;
  const called = countCall(run, result, 'turn');
  const totals = { ...called.totals, turns: run.totals.turns + 1 };
  const unjudged = { judged: false, checked: false } as const;
  const windowTokens = tokensOf(usage);
  const windowFloor = run.windowTokens === 0 ? windowTokens : run.windowFloor;
  const counted: Run = { ...called, ...unjudged, totals, turn: run.turn + 1, windowTokens, windowFloor };
  const text = eventText(textOf(message));
  const thought = eventText(thoughtOf(message));
  const calls = toolUses(message).length;
  return note(counted, now, {
    type: 'model.replied',
    turn: counted.turn,
    text,
    ...(thought !== '' && { thought }),
    calls,
    usage,
    stopReason,
    durationMs,
  });
}

/**
 * Counts what a model call cost, whatever it was for. It is one call however many attempts it took: what those used
 * whose reply never came is its money and its tokens.
 */
export function countCall(run: Run, { usage, lost, durationMs, model }: CallModelResult, purpose: CallPurpose): Run {
  const used = lost === undefined ? usage : plus(usage, lost);
  const paid = pay(run.totals, { purpose, model, usage: used });
  const totals = { ...paid, activeMs: run.totals.activeMs + durationMs };
  return { ...run, totals, budget: spendOf(run.budget, used), rounds: run.rounds + 1 };
}

function refused(run: Run, message: AssistantMessage): Run {
  const text = textOf(message);
  return stop(
    { ...run, answer: text },
    'refusal',
    text === '' ? 'The model refused to go on' : `The model refused: ${text}`,
  );
}

function paused(run: Run): Run {
  const problems = run.problems + 1;
  return problems > PAUSES_MAX
    ? stop(run, 'max_tokens', 'The API paused the same turn too often')
    : { ...run, problems };
}

function unusable(run: Run, what: string, end: 'failed' | 'max_tokens' | 'context'): Run {
  const problems = run.problems + 1;
  if (problems < PROBLEMS_MAX) return { ...run, problems };
  const message = `${problems} replies in a row could not be used: ${what}`;
  if (end !== 'failed') return stop(run, end, message);
  return { ...run, ending: { status: 'failed', error: 'UnusableReplies', message } };
}

/** Every call in the transcript must have a result, so the calls of a cut reply are told that they were not run. */
export function closeUnrun(run: Run, uses: readonly ToolUseBlock[]): Run {
  if (uses.length === 0) return run;
  const calls = uses.map(({ id, name }, index) => {
    const call = { id, index, tool: name, effect: 'read', digest: '', summary: name, status: 'scheduled' } as const;
    return ended(call, notRun('error', 'execution_failed', told.callNotRun));
  });
  return closeTurn({ ...run, calls });
}
