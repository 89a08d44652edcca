import type { Approval } from '../../contract/approvals.ts';
import type { RunEvent } from '../../contract/events.ts';
import type { RunResult, Totals } from '../../contract/run.ts';
import type { ToolCallStatus } from '../../contract/tool-calls.ts';
import type { OutputFormat } from '../running/run-flags.ts';
import type { Terminal } from '../terminal.ts';
import { safeJson, visibleLines } from '../text/visible.ts';
import type { RunEnd, WaitingView } from './run-end.ts';

/** What the first line of `stream-json` says. */
export interface RunIntroduction {
  readonly runId: string;
  readonly agent: string;
  readonly model: string;
  readonly offline: boolean;
  readonly tools: readonly string[];
  readonly notices: readonly string[];
  readonly temporalUrl: string | null;
}

export interface Output {
  readonly begin: () => void;
  readonly event: (event: RunEvent) => void;
  readonly end: (end: RunEnd) => void;
}

interface UndoneCall {
  readonly tool: string;
  readonly status: ToolCallStatus;
  readonly summary: string;
}

const UNDONE: readonly string[] = ['denied', 'expired', 'unknown'];

/** What goes to stdout: the answer, or one JSON object, or one JSON object a line. */
export function createOutput(
  format: OutputFormat,
  introduction: RunIntroduction,
  { print }: Pick<Terminal, 'print'>,
): Output {
  const summaries = new Map<string, string>();
  const undone: UndoneCall[] = [];
  const streams = format === 'stream-json';
  return {
    begin() {
      if (streams) print(safeJson(initLine(introduction)));
    },
    event(event) {
      if (event.type === 'tool.proposed' || event.type === 'tool.started') summaries.set(event.callId, event.summary);
      if (event.type === 'tool.ended' && UNDONE.includes(event.status)) {
        undone.push({
          tool: event.tool,
          status: event.status as ToolCallStatus,
          summary: summaries.get(event.callId) ?? '',
        });
      }
      if (streams) print(safeJson(envelope(introduction.runId, event)));
    },
    end(end) {
      if (format !== 'text') return print(safeJson(resultOf(introduction, end, undone), streams ? 0 : 2));
      if (end.kind === 'ended' && end.result !== null && end.result.answer !== '')
        print(visibleLines(end.result.answer).join('\n'));
    },
  };
}

function initLine({ runId, agent, model, offline, tools, notices, temporalUrl }: RunIntroduction): unknown {
  return { v: 1, type: 'init', run_id: runId, agent, model, offline, tools, notices, temporal_url: temporalUrl };
}

/** The envelope of every stream of ours: what happened is under `data`. */
export function envelope(runId: string, { seq, at, type, ...data }: RunEvent): unknown {
  return { v: 1, runId, seq, at: new Date(at).toISOString(), type, data };
}

function resultOf(introduction: RunIntroduction, end: RunEnd, undone: readonly UndoneCall[]): unknown {
  const { runId, offline, temporalUrl } = introduction;
  const { result, totals, waiting } = partsOf(end);
  const pending = (waiting?.approvals ?? []).filter(({ status }) => status === 'open');
  return {
    v: 1,
    type: 'result',
    run_id: runId,
    status: statusOf(end),
    ...resultJson(result),
    offline,
    ...totalsJson(totals),
    denied: undone,
    pending_approvals: pending.map(pendingJson),
    parked: waiting?.parked ?? null,
    temporal_url: temporalUrl,
  };
}

function resultJson(result: RunResult | null): object {
  if (result === null) return { outcome: null, stop_reason: null, result: null, outputs: {}, blocked: [] };
  const { outcome, answer, stopReason = null, outputs = {}, blocked = [] } = result;
  return { outcome, stop_reason: stopReason, result: answer, outputs, blocked };
}

interface EndParts {
  readonly result: RunResult | null;
  readonly totals: Totals | null;
  readonly waiting: WaitingView | null;
}

function partsOf(end: RunEnd): EndParts {
  if (end.kind === 'ended') return { result: end.result, totals: end.result?.totals ?? null, waiting: null };
  if (end.kind === 'waiting') return { result: null, totals: end.view.totals, waiting: end.view };
  return { result: null, totals: null, waiting: null };
}

function totalsJson(totals: Totals | null): object {
  if (totals === null) return { turns: null, tool_calls: null, usage: null, cost_usd: null };
  const { turns, toolCalls, usage } = totals;
  return { turns, tool_calls: toolCalls, usage, cost_usd: usage.costUsd };
}

function pendingJson({ id, kind, tool, title, digest, deadline, reason }: Approval): unknown {
  return { id, kind, tool, title, digest, deadline: new Date(deadline).toISOString(), reason };
}

function statusOf(end: RunEnd): string {
  if (end.kind === 'ended') return end.result?.outcome.status ?? end.closedAs.toLowerCase();
  return end.kind;
}
