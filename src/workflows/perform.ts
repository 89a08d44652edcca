import { CancellationScope, condition, isCancellation, workflowInfo } from '@temporalio/workflow';
import type { Observation } from '../core/apply.ts';
import type { Decision } from '../core/decide.ts';
import { spanText } from '../core/time-text.ts';
import type { RunCell } from './run-cell.ts';
import { lease } from './lease.ts';
import { compactTurns, think } from './think.ts';
import { callHook } from './call-hook.ts';
import { callTool } from './call-tool.ts';
import { wantsToContinue } from './continuation.ts';

type Performed = Exclude<Decision, { kind: 'end' }>;

/**
 * Performs a decision and tells what came of it, failures included. One kind of step for each kind of decision.
 *
 * The SDK records a stack trace for every promise made in workflow code, which is most of what a turn costs the
 * worker; so this room makes as few as it can.
 */
export async function perform(decision: Performed, cell: RunCell): Promise<readonly Observation[]> {
  try {
    const observed = await performKind(decision, cell);
    // A step may end well although the run was cancelled meanwhile; the run is cancelled all the same.
    return CancellationScope.current().consideredCancelled ? [...observed, CANCELLED] : observed;
  } catch (error) {
    if (!isCancellation(error)) throw error;
    return [CANCELLED];
  }
}

const CANCELLED: Observation = { kind: 'cancelled' };

function performKind(decision: Performed, cell: RunCell): Promise<readonly Observation[]> {
  switch (decision.kind) {
    case 'think':
      return think(cell.run, decision.purpose);
    case 'reflect':
      return think(cell.run, decision.on);
    case 'act':
      return act(decision, cell);
    case 'wait':
      return wait(decision, cell);
    case 'hold':
      return hold(decision, cell);
    case 'compact':
      return compactTurns(cell.run, decision);
    case 'hook':
      return hook(decision, cell);
    case 'lease':
      return lease(cell.run, decision.input);
  }
}

function act({ calls }: Extract<Decision, { kind: 'act' }>, { run }: RunCell): Promise<readonly Observation[]> {
  const [only, ...others] = calls;
  if (only !== undefined && others.length === 0) return callTool(run, only);
  return Promise.all(calls.map((call) => callTool(run, call))).then((observed) => observed.flat());
}

async function hook({ due }: Extract<Decision, { kind: 'hook' }>, { run }: RunCell): Promise<readonly Observation[]> {
  const { hook: called, ...matter } = due;
  const result = await callHook(run, called, { ...matter, round: run.hooks.count });
  return [{ kind: 'hooked', due, result }];
}

/**
 * Waits until a question is decided or overdue, or until something else is wanted of the run: a pause, or
 * a new history, because a flood of signals fills this one.
 */
async function wait(
  { approvalId, ms }: Extract<Decision, { kind: 'wait' }>,
  cell: RunCell,
): Promise<readonly Observation[]> {
  const isOpen = (): boolean => cell.run.approvals.some(({ id, status }) => id === approvalId && status === 'open');
  const approval = cell.run.approvals.find(({ id }) => id === approvalId);
  const summary = `${approval?.kind ?? 'question'} ${approval?.id ?? ''}: ${approval?.title ?? ''}`.slice(0, 190);
  await condition(() => !isOpen() || cell.run.paused !== null || wantsToContinue(workflowInfo()), ms, { summary });
  return [{ kind: 'woken' }];
}

async function hold({ ms }: Extract<Decision, { kind: 'hold' }>, cell: RunCell): Promise<readonly Observation[]> {
  const isHeld = (): boolean => cell.run.paused !== null || cell.run.parked !== null;
  const what = cell.run.parked === null ? 'paused' : `parked: ${cell.run.parked.reason}`;
  const summary = `${what}, until resumed or for ${spanText(ms)}`;
  const woken = await condition(() => !isHeld() || wantsToContinue(workflowInfo()), ms, { summary });
  return [{ kind: woken ? 'woken' : 'held_too_long' }];
}
