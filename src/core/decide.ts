import type { LeaseInput } from '../contract/activities.ts';
import type { Approval } from '../contract/approvals.ts';
import type { CallPurpose, RunResult } from '../contract/run.ts';
import { PARALLEL_CALLS_MAX } from '../contract/limits.ts';
import type { ToolCall } from '../contract/tool-calls.ts';
import { ANSWER_GRACE_MS } from './people/approvals.ts';
import { isOpen } from './calls/call-life.ts';
import { modelFor } from './aside/model-for.ts';
import { lastLease, leaseFor } from './budget/reserve.ts';
import { hooksBefore } from './hooks/due-hooks.ts';
import type { DueHook } from './hooks/hooks.ts';
import { openMatter } from './judgement/question.ts';
import { needsCompaction, planCompaction, type CompactionPlan } from './memory/compaction.ts';
import type { Reflection, Run } from './run.ts';

/** What happens next. `perform` in the workflow has one branch for each kind, and the kind names the state. */
export type Decision =
  | { readonly kind: 'think'; readonly purpose: 'turn' | 'plan' | 'summary' }
  | { readonly kind: 'reflect'; readonly on: Reflection }
  | { readonly kind: 'act'; readonly calls: readonly ToolCall[] }
  | { readonly kind: 'wait'; readonly approvalId: string; readonly ms: number }
  | { readonly kind: 'hold'; readonly ms: number }
  | ({ readonly kind: 'compact' } & CompactionPlan)
  | { readonly kind: 'hook'; readonly due: DueHook }
  | { readonly kind: 'lease'; readonly input: LeaseInput }
  | { readonly kind: 'end'; readonly result: RunResult };

/**
 * Chooses the next step from the run alone. What was observed has already been judged by `apply`: limits, problems
 * and people's words are in `ending`, `parked`, `paused`, `matter` and `calls`.
 */
export function decide(run: Run, now: number): Decision {
  if (run.result !== null) return afterEnd(run, run.result);
  const held = run.paused ?? run.parked;
  if (held !== null) return { kind: 'hold', ms: Math.max(1, held.since + run.spec.timeouts.pausedMs - now) };
  const question = openMatter(run);
  if (question !== undefined) return waitFor(question, now);
  const [due] = run.hooks.due;
  return due === undefined ? reserved(run, chooseStep(run, now)) : { kind: 'hook', due };
}

function chooseStep(run: Run, now: number): Decision {
  if (run.reflectOn !== null) return { kind: 'reflect', on: run.reflectOn };
  if (run.ending !== null) return { kind: 'think', purpose: 'summary' };
  const open = run.calls.filter(isOpen);
  const [first] = open;
  if (first === undefined) return betweenTurns(run);
  if (first.status !== 'awaiting_approval') return actOn(run, open);
  const approval = run.approvals.find(({ callId, status }) => callId === first.id && status === 'open');
  // To wait for nobody would be to wait for ever, so a bug of ours ends the run where people see it.
  if (approval === undefined) throw new Error(`call "${first.id}" waits for a question that is not there`);
  return waitFor(approval, now);
}

/** The hooks before a call are run when nothing but them keeps it from running. */
function actOn(run: Run, open: readonly ToolCall[]): Decision {
  const calls = nextBatch(run, open);
  const due = hooksBefore(run).find(({ callId }) => calls.some(({ id }) => id === callId));
  return due === undefined ? { kind: 'act', calls } : { kind: 'hook', due };
}

function betweenTurns(run: Run): Decision {
  if (needsCompaction(run)) return { kind: 'compact', ...planCompaction(run) };
  return { kind: 'think', purpose: run.planned ? 'turn' : 'plan' };
}

/** A model call that the purse does not cover waits for a slice of the shared budget. */
function reserved(run: Run, decision: Decision): Decision {
  const purpose = purposeOf(decision);
  const input = purpose === null ? null : leaseFor(run, modelFor(run.spec, purpose));
  return input === null ? decision : { kind: 'lease', input };
}

function purposeOf(decision: Decision): CallPurpose | null {
  if (decision.kind === 'think') return decision.purpose;
  if (decision.kind === 'reflect') return decision.on;
  return decision.kind === 'compact' && decision.by !== 'rule' ? 'compact' : null;
}

/** What was leased and not spent goes back before the workflow ends. */
function afterEnd(run: Run, result: RunResult): Decision {
  const input = lastLease(run);
  return input === null ? { kind: 'end', result } : { kind: 'lease', input };
}

/** Reads that stand together run together; anything else runs alone, in the order the model asked. */
function nextBatch(run: Run, open: readonly ToolCall[]): readonly ToolCall[] {
  const reads = open.findIndex((call) => call.effect !== 'read' || call.status !== 'scheduled');
  const together = reads < 0 ? open.length : reads;
  const left = run.spec.limits.toolCalls - run.totals.toolCalls;
  return open.slice(0, Math.max(1, Math.min(together, PARALLEL_CALLS_MAX, left)));
}

function waitFor({ id, deadline }: Approval, now: number): Decision {
  return { kind: 'wait', approvalId: id, ms: Math.max(1, deadline + ANSWER_GRACE_MS - now) };
}
