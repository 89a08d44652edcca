import { ASK_HUMAN, TODO } from '../contract/control-tools.ts';
import type { CheckedCall } from '../contract/activities.ts';
import type { RunEventBody } from '../contract/events.ts';
import type { Todo } from '../contract/run.ts';
import { CALLS_PER_TURN_MAX } from '../contract/limits.ts';
import type { ToolUseBlock } from '../contract/messages.ts';
import type { ToolCall, ToolCallResult } from '../contract/tool-calls.ts';
import { parseQuestion } from './ask-human.ts';
import { noteEnded } from './apply-results.ts';
import { ended, moved } from './call-life.ts';
import { judgedCall } from './policy/judged-call.ts';
import { decidePolicy } from './policy/policy.ts';
import { isUnattended, openApproval, type Question } from './questions.ts';
import { toolUses } from './replies.ts';
import { note, type Run } from './run.ts';
import { oneLine } from './sizes.ts';
import { readTodos, todosText } from './todos.ts';
import { deniedByPolicy, notRun, told } from './told.ts';
import { effectiveUse } from './use-tool.ts';

/** The input of a call as the model gave it; it is kept in the transcript only. */
export function inputOf(run: Run, callId: string): unknown {
  const message = run.messages.findLast(({ role }) => role === 'assistant');
  const use = message?.role === 'assistant' ? toolUses(message).find(({ id }) => id === callId) : undefined;
  return use && effectiveUse(use).input;
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
  const todos = opened.findLast((one) => one.todos !== undefined)?.todos ?? run.todos;
  const started = note({ ...run, todos, calls: opened.map(({ call }) => call) }, now, ...proposed);
  return opened.reduce((next, { call, question }) => {
    if (question !== undefined) return openApproval(next, { call, question }, now);
    return call.result === undefined ? next : noteEnded(next, { call, result: call.result }, now);
  }, started);
}

interface Opened {
  readonly call: ToolCall;
  readonly question?: Question;
  readonly todos?: readonly Todo[];
}

interface Place {
  readonly index: number;
  readonly check: CheckedCall | undefined;
}

function openCall(run: Run, use: ToolUseBlock, { index, check }: Place): Opened {
  const { name: tool, input } = effectiveUse(use);
  const effect = run.spec.tools.find(({ name }) => name === tool)?.effect ?? 'unsafe';
  const summary = oneLine(check?.summary ?? tool, 200);
  const call: ToolCall = {
    id: use.id,
    index,
    tool,
    effect,
    digest: check?.digest ?? '',
    summary,
    status: 'validating',
  };
  const refused = refusalOf(call, check);
  if (refused !== undefined) return { call: ended(call, refused) };
  const scheduled = moved(call, 'scheduled');
  if (tool === ASK_HUMAN) return openQuestion(run, scheduled, input);
  if (tool === TODO) return keepTodos(scheduled, input);
  return judge(run, scheduled, { input, check });
}

function refusalOf(call: ToolCall, check: CheckedCall | undefined): ToolCallResult | undefined {
  if (call.index >= CALLS_PER_TURN_MAX)
    return notRun('error', 'execution_failed', told.tooManyCalls(CALLS_PER_TURN_MAX));
  if (check === undefined) return notRun('error', 'unhandled_exception', 'the worker did not check this call.');
  return check.problem && notRun('error', check.problem.kind, check.problem.message);
}

function openQuestion(run: Run, call: ToolCall, input: unknown): Opened {
  const parsed = parseQuestion(input);
  if (!parsed.ok) return { call: ended(call, notRun('error', 'invalid_params', parsed.problem)) };
  if (isUnattended(run)) return { call: ended(call, notRun('denied', 'denied', told.nobodyThere)) };
  const { kind, question, options } = parsed;
  const title = oneLine(question, 300);
  return {
    call: moved(call, 'awaiting_approval'),
    question: { kind, title, options, reason: 'the agent asks' },
  };
}

function keepTodos(call: ToolCall, input: unknown): Opened {
  const todos = readTodos(input);
  if (typeof todos === 'string') return { call: ended(call, notRun('error', 'invalid_params', todos)) };
  return { call: ended(call, { status: 'success', content: todosText(todos), durationMs: 0 }), todos };
}

function judge(run: Run, call: ToolCall, { input, check }: { input: unknown; check: CheckedCall | undefined }): Opened {
  const { decision, reason, grant } = decidePolicy(run.spec.policy, judgedCall(run.spec, call, { input, check }));
  if (decision === 'deny') return { call: ended(call, deniedByPolicy(reason)) };
  if (decision === 'allow') return { call: grant === undefined ? call : { ...call, grant } };
  const { shown, preview, previewDigest, unconfined } = check ?? {};
  return {
    call: {
      ...moved(call, 'awaiting_approval'),
      ...(previewDigest !== undefined && { shown: previewDigest }),
      ...(unconfined !== undefined && { unconfined: true }),
    },
    question: {
      kind: 'approve',
      title: call.summary,
      reason,
      options: [],
      ...(shown !== undefined && { shown }),
      ...(preview !== undefined && { preview }),
    },
  };
}
