import type { ToolResultBlock } from '../contract/messages.ts';
import type { ToolCall, ToolCallResult } from '../contract/tool-calls.ts';
import type { Totals } from '../contract/run.ts';
import { RESULT_BYTES_MAX, TURN_RESULTS_BYTES_MAX } from '../contract/limits.ts';
import { supersede } from './approvals.ts';
import { ended } from './calls.ts';
import { eventText, note, say, type Run } from './run.ts';
import { fitText, jsonBytes } from './sizes.ts';
import { told } from './told.ts';

/** Puts a result to its call, cut so that neither it nor the turn's results together outgrow the transcript. */
export function applyResult(
  run: Run,
  { callId, result }: { callId: string; result: ToolCallResult },
  now: number,
): Run {
  const call = run.calls.find(({ id }) => id === callId);
  if (call === undefined || call.result !== undefined) return run;
  const fitted = { ...result, content: fitResult(run, result.content) };
  const calls = run.calls.map((other) => (other.id === callId ? ended(other, fitted) : other));
  return note({ ...run, calls, totals: countResult(run.totals, call, result) }, now, {
    type: 'tool.ended',
    callId,
    tool: call.tool,
    status: result.status,
    ...(result.error !== undefined && { error: result.error }),
    durationMs: result.durationMs,
    text: eventText(result.content),
  });
}

function fitResult(run: Run, content: string): string {
  const used = run.calls.reduce((sum, { result }) => sum + jsonBytes(result?.content ?? ''), 0);
  const bytes = jsonBytes(content);
  if (bytes <= 1_000 || used + Math.min(bytes, RESULT_BYTES_MAX) <= TURN_RESULTS_BYTES_MAX)
    return fitText(content, RESULT_BYTES_MAX);
  return told.turnFull(bytes);
}

/** Only calls that were started count against the limit of tool calls. */
function countResult(totals: Totals, call: ToolCall, { status, durationMs }: ToolCallResult): Totals {
  const started = call.status === 'executing' ? 1 : 0;
  return {
    ...totals,
    toolCalls: totals.toolCalls + started,
    activeMs: totals.activeMs + durationMs,
    denied: totals.denied + (status === 'denied' ? 1 : 0),
    expired: totals.expired + (status === 'expired' ? 1 : 0),
    unknown: totals.unknown + (status === 'unknown' ? 1 : 0),
  };
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
  const approvals = run.approvals.map((approval) => (closed.has(approval.callId) ? supersede(approval) : approval));
  return { ...say(run, { role: 'user', content }), calls: [], approvals };
}
