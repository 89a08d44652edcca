import type { CallModelResult } from '../contract/activities.ts';
import { closeUnrun, countCall } from './apply-reply.ts';
import { textOf, toolUses } from './replies.ts';
import { eventText, note, say, sayAsUser, type Run } from './run.ts';
import { told } from './told.ts';

/** Takes the plan the model wrote: it stays in the transcript, and the work begins. */
export function applyPlan(run: Run, result: CallModelResult, now: number): Run {
  const { message } = result;
  const counted = countCall(run, result);
  const kept = message.content.length > 0 ? closeUnrun(say(counted, message), toolUses(message)) : counted;
  const plan = eventText(textOf(message));
  const noted = note(kept, now, { type: 'plan.made', text: plan });
  return { ...sayAsUser(noted, told.planMade), plan, planned: true };
}
