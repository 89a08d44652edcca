import type { Approval } from '../contract/approvals.ts';
import type { ToolCall } from '../contract/tool-calls.ts';
import { note, type Run } from './run.ts';

/** What a person is asked about a call. */
export interface Question {
  readonly kind: Approval['kind'];
  readonly title: string;
  readonly reason: string;
  readonly options: Approval['options'];
  /** Without secrets, where the arguments hold any. */
  readonly shown?: unknown;
  readonly preview?: string;
}

/** Opens a question about a call, with a number and a deadline of its own. */
export function openApproval(run: Run, { call, question }: { call: ToolCall; question: Question }, now: number): Run {
  const { timeoutMs, onTimeout } = run.spec.approvals;
  const number = run.approvalsMade + 1;
  const { shown = null, ...asked } = question;
  const approval: Approval = {
    id: `${run.spec.runId}.${number}`,
    ...asked,
    callId: call.id,
    tool: call.tool,
    // Unless they hold secrets, the arguments stand in the transcript only, and views join them.
    arguments: shown,
    digest: call.digest,
    openedAt: now,
    deadline: now + timeoutMs,
    onTimeout,
    status: 'open',
  };
  const { id, kind, title, reason, deadline } = approval;
  const opened = { ...run, approvals: [...run.approvals, approval], approvalsMade: number };
  return note(opened, now, { type: 'approval.requested', id, kind, title, reason, deadline });
}

/** Whether nobody can be asked in this run. */
export function isUnattended({ spec }: Run): boolean {
  return spec.policy.mode === 'unattended';
}
