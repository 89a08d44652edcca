import type { ScriptedReply } from '../scenario.ts';
import type { Audit } from './audit.ts';
import { offers } from './speech.ts';

/** The steps of an audit, as its plan names them, and while each is being done. */
const STEPS = [
  ['Learn what the repository is', 'Learning what the repository is'],
  ['Search for what is risky', 'Searching for what is risky'],
  ['Read what the hits point to', 'Reading what the hits point to'],
  ['Run its own checks, with leave', 'Asking for leave to run its checks'],
  ['Write the report', 'Writing the report'],
] as const;

export const STEPS_COUNT = STEPS.length;
const CHECKS = 3;

/** The reply with the plan brought up to date, where the agent keeps one; `step` is the one being done, or all when past the last. */
export function withPlan(audit: Audit, step: number, reply: ScriptedReply): ScriptedReply {
  const items = itemsAt(audit, step);
  const shown = audit.seen.results.findLast(({ tool }) => tool === 'todo');
  if (!offers(audit.seen, 'todo') || isSame(shown?.input, items)) return reply;
  const update = { name: 'todo', input: { items } };
  if (step < STEPS_COUNT) return { ...reply, calls: [update, ...(reply.calls ?? [])] };
  return { thinking: 'The report is written. I close the plan before I say so.', calls: [update] };
}

function itemsAt({ check }: Audit, step: number): readonly object[] {
  return STEPS.map(([content, activeForm], index) => {
    if (index > step) return { content, status: 'pending' };
    if (index === step) return { content, status: 'in_progress', activeForm };
    const isBlocked = index === CHECKS && (check === null || check.kind === 'error');
    return { content, status: isBlocked ? 'blocked' : 'completed' };
  });
}

function isSame(input: unknown, items: readonly object[]): boolean {
  return JSON.stringify(input) === JSON.stringify({ items });
}
