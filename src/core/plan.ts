import type { CallModelResult } from '../contract/activities.ts';
import { closeUnrun, countCall } from './apply-reply.ts';
import { textOf, toolUses } from './replies.ts';
import { eventText, note, say, sayAsUser, type Run } from './run.ts';
import { told } from './told.ts';

/** Takes the plan the model wrote: it stays in the transcript, and the work begins. */
export function applyPlan(run: Run, result: CallModelResult, now: number): Run {
  const { message } = result;
  const counted = countCall(run, result, 'plan');
  const { planner } = run.spec;
  if (planner !== undefined) return planByAnother(counted, { name: planner.name, text: textOf(message) }, now);
  const kept = message.content.length > 0 ? closeUnrun(say(counted, message), toolUses(message)) : counted;
  const plan = eventText(textOf(message));
  const noted = note(kept, now, { type: 'plan.made', text: plan });
  return { ...sayAsUser(noted, told.planMade), plan, planned: true };
}

/** A plan that another agent made is no word of this one, so it is told to it. */
function planByAnother(run: Run, { name, text }: { readonly name: string; readonly text: string }, now: number): Run {
  const plan = eventText(text);
  const noted = note(run, now, { type: 'plan.made', text: plan });
  return { ...sayAsUser(noted, told.planBy(name, text)), plan, planned: true };
}
