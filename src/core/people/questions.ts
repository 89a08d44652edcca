import type { Approval, RunQuestion } from '../../contract/approvals.ts';
import type { ToolCall } from '../../contract/tool-calls.ts';
import { note, type Run } from '../run.ts';
import { textHash } from '../text-hash.ts';

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
  return openQuestion(run, { ...question, callId: call.id, tool: call.tool, digest: call.digest }, now);
}

/** A question and what it is about: a call, or the run itself. */
export interface OpenQuestion extends Question {
  readonly callId?: string;
  readonly tool?: string;
  readonly digest?: string;
  readonly about?: RunQuestion;
  readonly fallback?: string;
}

/** Opens a question about a call or about the run. One about the run binds to its own words, which never change. */
export function openQuestion(run: Run, question: OpenQuestion, now: number): Run {
  const { timeoutMs, onTimeout } = run.spec.approvals;
  const number = run.approvalsMade + 1;
  const { shown = null, callId = '', tool = '', digest, ...asked } = question;
  const approval: Approval = {
    id: `${run.spec.runId}.${number}`,
    ...asked,
    callId,
    tool,
    // Unless they hold secrets, the arguments stand in the transcript only, and views join them.
    arguments: shown,
    digest: digest ?? `text:${textHash(JSON.stringify([asked.title, asked.options]))}`,
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
