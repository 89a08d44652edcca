import type { ToolResultBlock, UserBlock } from '../../contract/messages.ts';
import type { ToolCall, ToolCallResult } from '../../contract/tool-calls.ts';
import type { Totals } from '../../contract/run.ts';
import { RESULT_BYTES_MAX, TURN_RESULTS_BYTES_MAX } from '../../contract/limits.ts';
import { forgetOldest, supersede } from '../people/approvals.ts';
import { CALL_LIFE, ended } from './call-life.ts';
import { callHooksAfter } from '../hooks/due-hooks.ts';
import { aboutResult } from '../hooks/hooks.ts';
import { reuseRead } from '../memory/reads.ts';
import { eventText, note, say, type Run } from '../run.ts';
import { fitText, jsonBytes } from '../sizes.ts';
import { told } from '../told.ts';

/** Puts a result to its call, cut so that neither it nor the turn's results together outgrow the transcript. */
export function applyResult(
  run: Run,
  { callId, result }: { callId: string; result: ToolCallResult },
  now: number,
): Run {
  const call = run.calls.find(({ id }) => id === callId);
  if (call === undefined || !CALL_LIFE[call.status].includes(result.status)) return run;
  const reused = reuseRead(run, { call, result }, now);
  const { content, instructed } = withInstructions(reused.run, call, reused.result.content);
  const fitted = { ...result, content: fitResult(run, content) };
  const calls = run.calls.map((other) => (other.id === callId ? ended(other, fitted) : other));
  // What was cut or left out does not stand in the transcript: it is told again, and no read is sent back to it.
  const kept = fitted.content === content ? { instructed, reads: reused.run.reads } : { reads: run.reads };
  const noted = noteEnded({ ...reused.run, calls, ...kept }, { call, result: fitted }, now);
  return call.status === 'executing' ? callHooksAfter(noted, call, aboutResult(fitted)) : noted;
}

/** Counts and tells an end. `call` is as it was before, so that one which never started does not count as a start. */
export function noteEnded(run: Run, { call, result }: { call: ToolCall; result: ToolCallResult }, now: number): Run {
  const resultBytes = run.resultBytes + jsonBytes(result.content);
  return note({ ...run, resultBytes, totals: countResult(run.totals, call, result) }, now, {
    type: 'tool.ended',
    callId: call.id,
    tool: call.tool,
    status: result.status,
    ...(result.error !== undefined && { error: result.error }),
    durationMs: result.durationMs,
    text: eventText(result.content),
  });
}

/** How a tool wants to be used is told behind its first result, so that it costs nothing in runs that never use it. */
function withInstructions(
  run: Run,
  { tool, status }: ToolCall,
  content: string,
): { content: string; instructed: readonly string[] } {
  const { instructed, spec } = run;
  const found = spec.instructions?.find(({ tools }) => tools.includes(tool));
  if (found === undefined || status !== 'executing' || instructed.includes(tool)) return { content, instructed };
  return {
    content: `${content}\n\n${told.instructions(tool, found.text)}`,
    instructed: [...instructed, ...found.tools],
  };
}

/** Results this small are always kept, however many a turn has. */
const SMALL_BYTES = 300;

function fitResult(run: Run, content: string): string {
  const bytes = jsonBytes(content);
  if (bytes <= SMALL_BYTES || run.resultBytes + Math.min(bytes, RESULT_BYTES_MAX) <= TURN_RESULTS_BYTES_MAX)
    return fitText(content, RESULT_BYTES_MAX);
  return told.turnFull(bytes);
}

function countResult(totals: Totals, call: ToolCall, result: ToolCallResult): Totals {
  const { status } = result;
  return {
    ...countWork(totals, call, result),
    denied: totals.denied + (status === 'denied' ? 1 : 0),
    expired: totals.expired + (status === 'expired' ? 1 : 0),
    unknown: totals.unknown + (status === 'unknown' ? 1 : 0),
  };
}

/** Only calls that were started count against the limit of tool calls, and each start counts once. */
export function countWork(
  totals: Totals,
  { status }: ToolCall,
  { durationMs }: Pick<ToolCallResult, 'durationMs'>,
): Totals {
  if (status !== 'executing') return totals;
  return { ...totals, toolCalls: totals.toolCalls + 1, activeMs: totals.activeMs + durationMs };
}

/**
 * Ends the turn: all its results, in the order the model asked, as one user message. A question that is still open then
 * was about a call that will not run any more.
 */
export function closeTurn(run: Run): Run {
  const content = run.calls.map(({ id, result }): ToolResultBlock => ({
    type: 'tool_result',
    tool_use_id: id,
    content: result?.content ?? '',
    ...(result?.status !== 'success' && { is_error: true }),
  }));
  const closed = new Set(run.calls.map(({ id }) => id));
  const superseded = run.approvals.map((approval) => (closed.has(approval.callId) ? supersede(approval) : approval));
  const approvals = forgetOldest(superseded);
  const { context } = run.hooks;
  const said: readonly UserBlock[] = context === '' ? content : [...content, { type: 'text', text: context }];
  const hooks = { ...run.hooks, context: '' };
  return { ...say(run, { role: 'user', content: said }), calls: [], resultBytes: 0, approvals, hooks };
}
