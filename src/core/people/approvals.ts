import {
  REPEAT,
  type AcceptedAnswer,
  type Answer,
  type Approval,
  type ApprovalStatus,
  type Refusal,
  type RefusalReason,
} from '../../contract/approvals.ts';
import { DECIDED_APPROVALS_KEPT_MAX } from '../../contract/limits.ts';
import { timeText } from '../time-text.ts';

/**
 * Answers that were stamped in time may still be on their way when the deadline passes, so expiry waits this long.
 * Milliseconds.
 */
export const ANSWER_GRACE_MS = 2_000;

export type Settled =
  | { readonly kind: 'accepted'; readonly approval: Approval }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/**
 * Judges one answer: the first valid one wins. In time or late is decided by the stamp of the server that took the
 * answer, because after an outage the workflow sees answers and deadlines in the same moment; an answer without a
 * usable stamp is judged by the workflow's time.
 */
export function settle(approvals: readonly Approval[], answer: Answer, now: number): Settled {
  const approval = approvals.find(({ id }) => id === answer.id);
  if (approval === undefined) return refuse('not_found', `Cannot answer "${answer.id}": this run has no such question`);
  const at = answer.at !== undefined && answer.at >= approval.openedAt ? answer.at : now;
  const refusal = refusalOf(approval, answer, at);
  if (refusal !== undefined) return { kind: 'refused', refusal };
  const accepted: AcceptedAnswer = {
    by: answer.by,
    at,
    ...(answer.note !== undefined && { note: answer.note }),
    ...(answer.choice !== undefined && { choice: answer.choice }),
    ...(answer.text !== undefined && { text: answer.text }),
  };
  return { kind: 'accepted', approval: { ...approval, status: statusOf(answer), answer: accepted } };
}

function refusalOf(approval: Approval, answer: Answer, at: number): Refusal | undefined {
  const cannot = `Cannot answer "${approval.id}"`;
  const closed = closedRefusal(approval);
  if (closed !== undefined) return closed;
  if (at > approval.deadline) {
    return refusal(
      'too_late',
      `${cannot}: the deadline was ${timeText(approval.deadline)}, the answer came at ${timeText(at)}`,
    );
  }
  const isLeave = answer.decision === 'approve' || (approval.kind === 'outcome' && answer.choice === REPEAT);
  const digestMissing = isLeave && answer.digest === undefined;
  if (digestMissing || (answer.digest !== undefined && answer.digest !== approval.digest)) {
    const said = answer.digest ?? 'none';
    return refusal('wrong_digest', `${cannot}: the call has digest ${approval.digest}, the answer names ${said}`);
  }
  return kindRefusal(approval, answer);
}

function closedRefusal({ id, status, answer, deadline }: Approval): Refusal | undefined {
  const cannot = `Cannot answer "${id}"`;
  if (status === 'open') return undefined;
  if (status === 'expired') return refusal('too_late', `${cannot}: it expired at ${timeText(deadline)}`);
  if (status === 'superseded') return refusal('superseded', `${cannot}: the run moved on and no longer needs it`);
  return refusal(
    'already_answered',
    `${cannot}: already ${status} by ${answer?.by ?? 'somebody'} at ${timeText(answer?.at ?? 0)}`,
  );
}

function kindRefusal(approval: Approval, { decision, choice, text }: Answer): Refusal | undefined {
  const cannot = `Cannot answer "${approval.id}"`;
  if (decision === 'deny') return undefined;
  if (approval.kind === 'approve') {
    return decision === 'approve' ? undefined : refusal('wrong_kind', `${cannot}: it wants approve or deny`);
  }
  if (decision !== 'answer') return refusal('wrong_kind', `${cannot}: it wants an answer, not a leave`);
  if (approval.kind === 'answer') {
    return text === undefined ? refusal('wrong_kind', `${cannot}: it wants a text`) : undefined;
  }
  const ids = approval.options.map((option) => option.id);
  if (choice !== undefined && ids.includes(choice)) return undefined;
  return refusal('wrong_kind', `${cannot}: it wants one of ${ids.join(', ')}`);
}

function statusOf({ decision }: Answer): ApprovalStatus {
  const statuses = { approve: 'approved', deny: 'denied', answer: 'answered' } as const;
  return statuses[decision];
}

/** Open approvals whose deadline, and the grace for answers under way, have passed. */
export function overdue(approvals: readonly Approval[], now: number): readonly Approval[] {
  return approvals.filter(({ status, deadline }) => status === 'open' && now >= deadline + ANSWER_GRACE_MS);
}

/** An open question that nobody needs answered any more; a decided one stays as it was decided. */
export function supersede(approval: Approval): Approval {
  return approval.status === 'open' ? { ...approval, status: 'superseded' } : approval;
}

/** Puts a changed approval in place of the old one. */
export function replaceApproval(approvals: readonly Approval[], changed: Approval): readonly Approval[] {
  return approvals.map((approval) => (approval.id === changed.id ? changed : approval));
}

/**
 * Without the oldest decided ones beyond what is kept. Of use only when all that was decided has been followed: a call
 * whose question is forgotten before would wait for ever.
 */
export function forgetOldest(approvals: readonly Approval[]): readonly Approval[] {
  const decided = approvals.filter(({ status }) => status !== 'open');
  const forget = new Set(
    decided.slice(0, Math.max(0, decided.length - DECIDED_APPROVALS_KEPT_MAX)).map(({ id }) => id),
  );
  return forget.size === 0 ? approvals : approvals.filter(({ id }) => !forget.has(id));
}

function refuse(reason: RefusalReason, message: string): Settled {
  return { kind: 'refused', refusal: refusal(reason, message) };
}

function refusal(reason: RefusalReason, message: string): Refusal {
  return { reason, message };
}
