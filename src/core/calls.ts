import type { Approval } from '../contract/approvals.ts';
import { ASK_HUMAN } from '../contract/ask-human.ts';
import type { CheckedCall } from '../contract/activities.ts';
import type { RunEventBody } from '../contract/events.ts';
import { CALLS_PER_TURN_MAX } from '../contract/limits.ts';
import type { ToolUseBlock } from '../contract/messages.ts';
import type { ToolCall, ToolCallResult } from '../contract/tool-calls.ts';
import { parseQuestion } from './ask-human.ts';
import { decidePolicy } from './policy.ts';
import { toolUses } from './replies.ts';
import { note, type Run } from './run.ts';
import { oneLine } from './sizes.ts';
import { deniedByPolicy, notRun, told } from './told.ts';

/** The input the model gave to a call; it is kept in the transcript only. */
export function inputOf(run: Run, callId: string): unknown {
  const message = run.messages.findLast(({ role }) => role === 'assistant');
  return message?.role === 'assistant' ? toolUses(message).find(({ id }) => id === callId)?.input : undefined;
}

/** The calls of a reply, and what the worker found out about each. */
export interface AskedCalls {
  readonly uses: readonly ToolUseBlock[];
  readonly checks: readonly CheckedCall[];
}

/** Opens the calls of a reply: each is judged, and those that need leave get a question of their own. */
export function openCalls(run: Run, { uses, checks }: AskedCalls, now: number): Run {
  const byId = new Map(checks.map((check) => [check.id, check]));
  const opened = uses.map((use, index) => openCall(run, use, { index, check: byId.get(use.id) }));
  const proposed = opened.map(({ call }): RunEventBody => ({
    type: 'tool.proposed',
    callId: call.id,
    tool: call.tool,
    summary: call.summary,
  }));
  const started = note({ ...run, calls: opened.map(({ call }) => call) }, now, ...proposed);
  return opened.reduce((next, { call, question }) => {
    return question === undefined ? next : openApproval(next, { call, question }, now);
  }, started);
}

interface Question {
  readonly kind: Approval['kind'];
  readonly title: string;
  readonly reason: string;
  readonly options: Approval['options'];
}

interface Opened {
  readonly call: ToolCall;
  readonly question?: Question;
}

function openCall(
  run: Run,
  use: ToolUseBlock,
  { index, check }: { index: number; check: CheckedCall | undefined },
): Opened {
  const effect = run.spec.tools.find(({ name }) => name === use.name)?.effect ?? 'unsafe';
  const call: ToolCall = {
    id: use.id,
    index,
    tool: use.name,
    effect,
    digest: check?.digest ?? '',
    summary: oneLine(check?.summary ?? use.name, 200),
    status: 'scheduled',
  };
  const refused = refusalOf(call, check);
  if (refused !== undefined) return { call: ended(call, refused) };
  if (use.name === ASK_HUMAN) return openQuestion(call, use.input);
  return judge(run, call, use.input);
}

function refusalOf(call: ToolCall, check: CheckedCall | undefined): ToolCallResult | undefined {
  if (call.index >= CALLS_PER_TURN_MAX)
    return notRun('error', 'execution_failed', told.tooManyCalls(CALLS_PER_TURN_MAX));
  if (check === undefined) return notRun('error', 'unhandled_exception', 'the worker did not check this call.');
  return check.problem && notRun('error', check.problem.kind, check.problem.message);
}

function openQuestion(call: ToolCall, input: unknown): Opened {
  const parsed = parseQuestion(input);
  if (!parsed.ok) return { call: ended(call, notRun('error', 'invalid_params', parsed.problem)) };
  const { kind, question, options } = parsed;
  const title = oneLine(question, 300);
  return {
    call: { ...call, status: 'awaiting_approval' },
    question: { kind, title, options, reason: 'the agent asks' },
  };
}

function judge(run: Run, call: ToolCall, input: unknown): Opened {
  const { decision, reason, grant } = decidePolicy(run.spec.policy, { tool: call.tool, effect: call.effect, input });
  if (decision === 'deny') return { call: ended(call, deniedByPolicy(reason)) };
  if (decision === 'allow') return { call: grant === undefined ? call : { ...call, grant } };
  const title = call.summary;
  return { call: { ...call, status: 'awaiting_approval' }, question: { kind: 'approve', title, reason, options: [] } };
}

function openApproval(run: Run, { call, question }: Required<Opened>, now: number): Run {
  const { timeoutMs, onTimeout } = run.spec.approvals;
  const number = run.approvalsMade + 1;
  const approval: Approval = {
    id: `${run.spec.runId}.${number}`,
    ...question,
    callId: call.id,
    tool: call.tool,
    // The exact arguments stand in the transcript; views join them, so that history has them once.
    arguments: null,
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

/** The call at its end, with the result the model will read. */
export function ended(call: ToolCall, result: ToolCallResult): ToolCall {
  return { ...call, status: result.status, result };
}

export function isOpen(call: ToolCall): boolean {
  return call.result === undefined;
}
