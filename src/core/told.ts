import type { Approval } from '../contract/approvals.ts';
import type { ToolCallResult, ToolErrorKind } from '../contract/tool-calls.ts';
import { spanText } from './time-text.ts';

/**
 * What the model is told. Refused, expired, cancelled and broken are four different things, and each text begins
 * with its own word, so that neither the model nor a person can take one for another.
 */

/** The result of a call that ran nothing. */
export function notRun(
  status: Exclude<ToolCallResult['status'], 'success'>,
  error: ToolErrorKind,
  text: string,
): ToolCallResult {
  return { status, error, content: `${error}: ${text}`, durationMs: 0 };
}

export function deniedByPolicy(reason: string): ToolCallResult {
  return notRun(
    'denied',
    'denied',
    `the policy of this agent does not allow this call (${reason}). It was not run. Do not try it again another way.`,
  );
}

/** What became of a call whose question was decided, or null while it may run. */
export function resultOfApproval(approval: Approval): ToolCallResult | null {
  switch (approval.status) {
    case 'expired':
      return expired(approval);
    case 'denied':
      return denied(approval);
    case 'answered':
      return answered(approval);
    default:
      return null;
  }
}

function denied({ kind, answer }: Approval): ToolCallResult {
  const words = answer?.note === undefined ? 'gave no reason' : `said: "${answer.note}"`;
  const what = kind === 'approve' ? 'denied this call, and it was not run' : 'declined to answer';
  return notRun('denied', 'denied', `${answer?.by ?? 'a person'} ${what}. They ${words}.`);
}

function answered({ kind, answer, options }: Approval): ToolCallResult {
  const chosen = options.find(({ id }) => id === answer?.choice)?.label;
  const words = kind === 'choose' ? `chose: ${chosen}` : `answered: ${answer?.text ?? ''}`;
  const note = answer?.note === undefined ? '' : `\nThey added: ${answer.note}`;
  return { status: 'success', content: `${answer?.by ?? 'a person'} ${words}${note}`, durationMs: 0 };
}

function expired({ kind, openedAt, deadline }: Approval): ToolCallResult {
  const waited = spanText(deadline - openedAt);
  const what = kind === 'approve' ? 'this call was not run' : 'there is no answer';
  return notRun(
    'expired',
    'expired',
    `nobody answered within ${waited}, so ${what}. Nobody refused it either. Go on without it, and say so in your answer.`,
  );
}

export const told = {
  compacted: 'The earlier part of this conversation was compacted. What was done in it, in order:',
  taskAgain: 'The task, word for word:',
  planFirst:
    'Before anything is done, write a short plan: the steps, in order, and how you will know that each is done. Use no tools in this reply.',
  planMade: 'The plan stands. Now carry it out, step by step.',
  replan: (reason: string) =>
    `A review of the work so far says: ${reason}\nWrite a new plan that takes this into account. Use no tools in this reply.`,
  retry: (reason: string) => `A review of the last step says: ${reason}\nDo that step again with this in mind.`,
  notDone: (reason: string) => `A review of your answer says that the goal is not reached: ${reason}\nGo on.`,
  goalReached: (reason: string) =>
    `A review says that the goal is reached: ${reason}\nWrite your final answer now, without further tools.`,
  loopNudge: (what: string) =>
    `You seem to go round in circles: ${what}. Say in one sentence what you expected and what happened instead. Then do something else, or finish if you have what you need.`,
  loopReplan: (what: string) => `you still go round in circles: ${what}`,
  redirected: (by: string, words: string) =>
    words === ''
      ? `${by} looked at your work and wants you to go another way. Think again about what the task needs.`
      : `${by} looked at your work and says: ${words}`,
  planBy: (agent: string, text: string) =>
    `The plan, made by the agent "${agent}":\n\n${text}\n\nNow carry it out, step by step.`,
  remind: (turns: number, plan: string) =>
    `[Reminder: your plan has not changed for ${turns} turns. Mark what is done, what is in progress and what is blocked.\n${plan}]`,
  outputsMissing: (names: readonly string[]) =>
    `You ended your work, but these outputs are still missing: ${names.join(', ')}. Deliver each with emit_value. If one cannot be had, end with terminate and say why.`,
  todosActive: (lines: readonly string[]) =>
    `You ended your work, but your plan still has open items:\n${lines.join('\n')}\nDo them, or mark them as completed or blocked, then give your final answer.`,
  notComplete: (reason: string) =>
    `Somebody who looked whether the task is done says that it is not: ${reason}\nDo what is missing, then give your final answer.`,
  unchanged: (turn: number, bytes: number) =>
    `[Unchanged: this read found exactly what the same call found in turn ${turn} (${bytes} bytes), which still stands above. It was looked up again and is not repeated here.]`,
  cutReply:
    'Your reply reached the limit of tokens and was cut. Nothing in it was run. Go on from where it stopped, in smaller pieces.',
  tooLarge: (bytes: string) =>
    `Your reply was too large to keep (${bytes}) and was thrown away. Say it again, much shorter; write long texts to files in parts.`,
  unknownStop: (reason: string) =>
    `Your reply ended for a reason this runtime does not know ("${reason}"). Nothing in it was run. Go on.`,
  callNotRun:
    'this call was not run, because the reply it stood in was cut off or ended early. Ask for it again if it is still needed.',
  tooManyCalls: (max: number) =>
    `this call was not run: one reply may ask for at most ${max} calls. Ask again in the next turn.`,
  limit: (message: string) => `this call was not run: ${message.toLowerCase()}.`,
  cancelled: 'the run was cancelled before this call was done.',
  summary: (message: string) =>
    `${message}, so the run ends here and no more tools can be used. In a few sentences, say what was done, what was found, and what is left to do.`,
  unknown: (what: string) =>
    `it is not known whether this call happened: ${what}. It was not repeated. Check the state of things before you do it again.`,
  changedSinceShown:
    'this call was approved, but it would no longer do what was shown: something it depends on changed meanwhile. It was not run. Look at how things are now, and ask again.',
  yoloNotEnabled:
    'the mode "yolo" is not enabled by the operator of this machine, and no rule or person allowed this call. It was not run.',
  nobodyThere:
    'nobody can be asked in this run: it works unattended. Decide by yourself, or leave it and say so in your answer.',
  asksTooOften: (max: number) => `this call asked a person ${max} times and was given up.`,
  instructions: (tool: string, text: string) => `[How to use ${tool}, told once]\n${text}`,
  turnFull: (bytes: number) =>
    `[the call was done; its result of ${bytes} bytes was left out because the results of this turn together are too large. Ask for it again alone, or for less of it.]`,
} as const;
