import type { CheckedCall } from '../../contract/activities.ts';
import type { RunEventBody } from '../../contract/events.ts';
import { CALLS_PER_TURN_MAX } from '../../contract/limits.ts';
import type { ToolUseBlock } from '../../contract/messages.ts';
import type { ToolCall, ToolCallResult } from '../../contract/tool-calls.ts';
import { answerControl, type Opened } from '../control/answer-control.ts';
import { noteEnded } from './apply-results.ts';
import { ended, moved } from './call-life.ts';
import { judgedCall, type JudgedMatter } from '../policy/judged-call.ts';
import { decidePolicy } from '../policy/policy.ts';
import { applies } from '../policy/rule.ts';
import { openApproval } from '../people/questions.ts';
import { toolUses } from '../replies.ts';
import { note, type Run } from '../run.ts';
import { oneLine } from '../sizes.ts';
import { deniedByPolicy, notRun, told } from '../told.ts';
import { hooksFor } from '../hooks/hooks.ts';
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
  let kept = run;
  const opened = uses.map((use, index) => {
    const one = openCall(kept, use, { index, check: byId.get(use.id) });
    kept = { ...kept, ...one.kept };
    return one;
  });
  const proposed = opened.map(({ call }): RunEventBody => ({
    type: 'tool.proposed',
    callId: call.id,
    tool: call.tool,
    summary: call.summary,
  }));
  const started = note({ ...kept, calls: opened.map(({ call }) => call) }, now, ...proposed);
  return opened.reduce((next, one) => tellOpened(next, one, now), started);
}

function tellOpened(run: Run, { call, question, event }: Opened, now: number): Run {
  const noted = event === undefined ? run : note(run, now, event);
  if (question !== undefined) return openApproval(noted, { call, question }, now);
  return call.result === undefined ? noted : noteEnded(noted, { call, result: call.result }, now);
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
    ...(mayRepeat(run, { tool, effect }, { input, check }) && { repeats: true as const }),
    ...hooksOf(run, { tool, effect }, { input, check }),
  };
  const refused = refusalOf(call, check);
  if (refused !== undefined) return { call: ended(call, refused) };
  const scheduled = moved(call, 'scheduled');
  return answerControl(run, scheduled, input) ?? judge(run, scheduled, { input, check });
}

/** Whether the spec declares that the agent may repeat this call as often as it likes. */
function mayRepeat({ spec }: Run, call: Pick<ToolCall, 'tool' | 'effect'>, matter: JudgedMatter): boolean {
  const allow = spec.loops?.allow ?? [];
  if (allow.length === 0) return false;
  const { touches, ...judged } = judgedCall(spec, call, matter);
  return allow.some((rule) => applies(rule, { ...judged, touches }) === 'yes');
}

/** The operator's hooks about this call. What it reaches for is known only now, when the worker has looked at it. */
function hooksOf(
  { spec }: Run,
  call: Pick<ToolCall, 'tool' | 'effect'>,
  matter: JudgedMatter,
): Pick<ToolCall, 'before' | 'after'> {
  if (spec.hooks === undefined) return {};
  const judged = judgedCall(spec, call, matter);
  const names = (on: 'before_tool' | 'after_tool'): readonly string[] =>
    hooksFor(spec, on, judged).map(({ name }) => name);
  return { before: names('before_tool'), after: names('after_tool') };
}

function refusalOf(call: ToolCall, check: CheckedCall | undefined): ToolCallResult | undefined {
  if (call.index >= CALLS_PER_TURN_MAX)
    return notRun('error', 'execution_failed', told.tooManyCalls(CALLS_PER_TURN_MAX));
  if (check === undefined) return notRun('error', 'unhandled_exception', 'the worker did not check this call.');
  return check.problem && notRun('error', check.problem.kind, check.problem.message);
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
