import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import type { Approval } from '../contract/approvals.ts';
import { WORKFLOW_TYPE } from '../contract/names.ts';
import type { RunMemo } from '../contract/run.ts';
import { memoOf, readRun } from './reading.ts';

export interface ListedRun {
  readonly runId: string;
  readonly status: string;
  readonly startedAt: Date;
  readonly closedAt: Date | null;
  readonly taskQueue: string;
  readonly memo: RunMemo | null;
}

/** The newest runs first. `filter` is a further condition in Temporal's list syntax. */
export async function listRuns(
  client: Client,
  { limit, filter }: { readonly limit: number; readonly filter?: string },
): Promise<readonly ListedRun[]> {
  const ours = `WorkflowType = '${WORKFLOW_TYPE}' AND ExecutionStatus != 'ContinuedAsNew'`;
  const query = filter === undefined ? ours : `${ours} AND (${filter})`;
  const runs: ListedRun[] = [];
  for await (const info of client.workflow.list({ query, pageSize: Math.min(limit, 200) })) {
    runs.push(listed(info));
    if (runs.length >= limit) break;
  }
  return runs;
}

function listed(info: WorkflowExecutionInfo): ListedRun {
  return {
    runId: info.workflowId,
    status: info.status.name,
    startedAt: info.startTime,
    closedAt: info.closeTime ?? null,
    taskQueue: info.taskQueue,
    memo: memoOf(info),
  };
}

/** Which run a person means: its id, any unambiguous beginning of it, or `@last`. */
export type Named =
  | { readonly kind: 'run'; readonly runId: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'several'; readonly runIds: readonly string[] };

export async function findRun(client: Client, name: string): Promise<Named> {
  if (name === '@last') {
    const [last] = await listRuns(client, { limit: 1 });
    return last === undefined ? { kind: 'none' } : { kind: 'run', runId: last.runId };
  }
  const safe = name.replace(/[^a-zA-Z0-9_-]/gu, '');
  if (safe !== name || safe === '') return { kind: 'none' };
  const found = new Set(
    (await listRuns(client, { limit: 20, filter: `WorkflowId STARTS_WITH '${safe}'` })).map(({ runId }) => runId),
  );
  if (found.has(name)) return { kind: 'run', runId: name };
  // The list lags a little behind, so a run that was just started is asked for by its whole name.
  if (found.size === 0)
    return (await readRun(client, name)).kind === 'gone' ? { kind: 'none' } : { kind: 'run', runId: name };
  const [only] = found;
  return found.size === 1 && only !== undefined
    ? { kind: 'run', runId: only }
    : { kind: 'several', runIds: [...found] };
}

export interface ListedApproval {
  readonly runId: string;
  readonly agent: string;
  readonly approval: Approval;
}

/** Open questions of all runs, the most urgent first. */
export async function listApprovals(client: Client): Promise<readonly ListedApproval[]> {
  const waiting = await listRuns(client, {
    limit: 200,
    filter: `ExecutionStatus = 'Running' AND NightshiftWaitingFor IS NOT NULL`,
  });
  const perRun = await Promise.all(waiting.map(async ({ runId }) => await approvalsOf(client, runId)));
  return perRun.flat().toSorted((a, b) => a.approval.deadline - b.approval.deadline);
}

/** The open questions of one run, also when no worker runs. */
export async function approvalsOf(client: Client, runId: string): Promise<readonly ListedApproval[]> {
  const reading = await readRun(client, runId);
  if (reading.kind !== 'live' && reading.kind !== 'asleep') return [];
  const source = reading.kind === 'live' ? reading.view : reading.memo;
  const open = source?.approvals.filter(({ status }) => status === 'open') ?? [];
  return open.map((approval) => ({ runId, agent: source?.agent ?? '', approval }));
}
