import { CancellationScope, condition, isCancellation, workflowInfo } from '@temporalio/workflow';
import type { Observation } from '../core/apply.ts';
import type { Decision } from '../core/decide.ts';
import { spanText } from '../core/time-text.ts';
import type { RunCell } from './agent-run.ts';
import { think } from './think.ts';
import { callTool } from './call-tool.ts';
import { wantsToContinue } from './continuation.ts';

type Performed = Exclude<Decision, { kind: 'end' }>;

/** Performs a decision and tells what came of it, failures included. One kind of step for each kind of decision. */
export async function perform(decision: Performed, cell: RunCell): Promise<readonly Observation[]> {
  const observed = await performKind(decision, cell).catch(asCancelled);
  // A step may end well although the run was cancelled meanwhile; the run is cancelled all the same.
  return CancellationScope.current().consideredCancelled ? [...observed, CANCELLED] : observed;
}

const CANCELLED: Observation = { kind: 'cancelled' };

function asCancelled(error: unknown): readonly Observation[] {
  if (!isCancellation(error)) throw error;
  return [];
}

async function performKind(decision: Performed, cell: RunCell): Promise<readonly Observation[]> {
  const { run } = cell;
  switch (decision.kind) {
    case 'think':
      return [await think(run, decision.purpose)];
    case 'reflect':
      return [await think(run, 'critique')];
    case 'act':
      return await Promise.all(decision.calls.map(async (call) => await callTool(run, call)));
    case 'wait':
      return [await wait(decision, cell)];
    case 'hold':
      return [await hold(decision, cell)];
    case 'compact':
      return [{ kind: 'compacted' }];
  }
}

/**
 * Waits until the question of a call is decided or overdue, or until something else is wanted of the run: a pause, or
 * a new history, because a flood of signals fills this one.
 */
async function wait({ callId, ms }: Extract<Decision, { kind: 'wait' }>, cell: RunCell): Promise<Observation> {
  const isOpen = (): boolean =>
    cell.run.approvals.some((approval) => approval.callId === callId && approval.status === 'open');
  const approval = cell.run.approvals.find((candidate) => candidate.callId === callId && candidate.status === 'open');
  const summary = `${approval?.kind ?? 'question'} ${approval?.id ?? ''}: ${approval?.title ?? ''}`.slice(0, 190);
  await condition(() => !isOpen() || cell.run.paused !== null || wantsToContinue(workflowInfo()), ms, { summary });
  return { kind: 'woken' };
}

async function hold({ ms }: Extract<Decision, { kind: 'hold' }>, cell: RunCell): Promise<Observation> {
  const isHeld = (): boolean => cell.run.paused !== null || cell.run.parked !== null;
  const what = cell.run.parked === null ? 'paused' : `parked: ${cell.run.parked.reason}`;
  const summary = `${what}, until resumed or for ${spanText(ms)}`;
  const woken = await condition(() => !isHeld() || wantsToContinue(workflowInfo()), ms, { summary });
  return woken ? { kind: 'woken' } : { kind: 'held_too_long' };
}
