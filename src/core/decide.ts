import type { RunResult } from '../contract/run.ts';
import { PARALLEL_CALLS_MAX } from '../contract/limits.ts';
import type { ToolCall } from '../contract/tool-calls.ts';
import { ANSWER_GRACE_MS } from './approvals.ts';
import { isOpen } from './call-life.ts';
import { needsCompaction } from './compaction.ts';
import type { Run } from './run.ts';

/** What happens next. `perform` in the workflow has one branch for each kind, and the kind names the state. */
export type Decision =
  | { readonly kind: 'think'; readonly purpose: 'turn' | 'plan' | 'summary' }
  | { readonly kind: 'reflect' }
  | { readonly kind: 'act'; readonly calls: readonly ToolCall[] }
  | { readonly kind: 'wait'; readonly callId: string; readonly ms: number }
  | { readonly kind: 'hold'; readonly ms: number }
  | { readonly kind: 'compact' }
  | { readonly kind: 'end'; readonly result: RunResult };

/**
 * Chooses the next step from the run alone. What was observed has already been judged by `apply`: limits, problems
 * and people's words are in `ending`, `parked`, `paused` and `calls`.
 */
export function decide(run: Run, now: number): Decision {
  if (run.result !== null) return { kind: 'end', result: run.result };
  const held = run.paused ?? run.parked;
  if (held !== null) return { kind: 'hold', ms: Math.max(1, held.since + run.spec.timeouts.pausedMs - now) };
  if (run.toReflect) return { kind: 'reflect' };
  if (run.ending !== null) return { kind: 'think', purpose: 'summary' };
  const open = run.calls.filter(isOpen);
  const [first] = open;
  if (first === undefined) return betweenTurns(run);
  if (first.status === 'awaiting_approval')
    return { kind: 'wait', callId: first.id, ms: untilDeadline(run, first, now) };
  return { kind: 'act', calls: nextBatch(run, open) };
}

function betweenTurns(run: Run): Decision {
  if (needsCompaction(run)) return { kind: 'compact' };
  return { kind: 'think', purpose: run.planned ? 'turn' : 'plan' };
}

/** Reads that stand together run together; anything else runs alone, in the order the model asked. */
function nextBatch(run: Run, open: readonly ToolCall[]): readonly ToolCall[] {
  const reads = open.findIndex((call) => call.effect !== 'read' || call.status !== 'scheduled');
  const together = reads < 0 ? open.length : reads;
  const left = run.spec.limits.toolCalls - run.totals.toolCalls;
  return open.slice(0, Math.max(1, Math.min(together, PARALLEL_CALLS_MAX, left)));
}

function untilDeadline(run: Run, call: ToolCall, now: number): number {
  const approval = run.approvals.find(({ callId, status }) => callId === call.id && status === 'open');
  return Math.max(1, (approval?.deadline ?? now) + ANSWER_GRACE_MS - now);
}
