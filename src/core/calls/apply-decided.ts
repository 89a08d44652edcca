import type { AcceptedAnswer, Approval } from '../../contract/approvals.ts';
import type { ToolCallResult } from '../../contract/tool-calls.ts';
import { replaceApproval } from '../people/approvals.ts';
import { instruct } from '../people/inbox.ts';
import type { Run } from '../run.ts';
import { oneLine } from '../sizes.ts';
import { resultOfApproval } from '../told.ts';
import { applyResult } from './apply-results.ts';
import { moved } from './call-life.ts';
import { settleOpen } from './outcomes.ts';

/** Lets each call go on, or end, whose question was decided. */
export function applyDecided(run: Run, now: number): Run {
  return run.calls
    .filter(({ status }) => status === 'awaiting_approval')
    .reduce((next, call) => {
      const approval = next.approvals.findLast(({ callId }) => callId === call.id);
      if (approval === undefined || approval.status === 'open') return next;
      const heard = withShortAnswer(next, approval);
      const settled = settleOpen(heard, { call, approval }, now);
      if (settled !== null) return settled;
      const result = resultOfApproval(approval);
      if (result !== null)
        return applyResult(withInstruction(heard, approval, result), { callId: call.id, result }, now);
      return { ...next, calls: next.calls.map((other) => (other.id === call.id ? moved(other, 'scheduled') : other)) };
    }, run);
}

/** What a person answered or gave as a reason counts as told to the agent, and outlasts compactions. */
function withInstruction(run: Run, { answer, title, callId }: Approval, { status, content }: ToolCallResult): Run {
  const isSaid = status === 'success' || (status === 'denied' && answer?.note !== undefined);
  if (answer === undefined || !isSaid) return run;
  return instruct(run, { by: answer.by, text: content, asked: { callId, title } });
}

/** The model has heard the whole answer; what is kept for a second answerer is who, when, and the first words. */
function withShortAnswer(run: Run, approval: Approval): Run {
  const { answer } = approval;
  if (answer === undefined) return run;
  const short: AcceptedAnswer = {
    ...answer,
    ...(answer.note !== undefined && { note: oneLine(answer.note, 300) }),
    ...(answer.text !== undefined && { text: oneLine(answer.text, 300) }),
  };
  return { ...run, approvals: replaceApproval(run.approvals, { ...approval, answer: short }) };
}
