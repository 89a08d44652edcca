import { listRuns, type ListedRun } from '../../../client.ts';
import type { RunMemo } from '../../../contract/run.ts';
import { CommandFailure } from '../../command-failure.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit-codes.ts';
import { withServer } from '../../server-access.ts';
import { tableText } from '../../text/table.ts';
import { relativeText } from '../../text/times.ts';
import { safeJson, shortLine } from '../../text/visible.ts';

export interface ListFlags {
  readonly state?: string;
  readonly agent?: string;
  readonly limit: number;
  readonly json?: true;
}

/** States of ordinary work; the list knows them as one, because they change several times a second. */
const WORKING: readonly string[] = ['planning', 'thinking', 'acting', 'reflecting', 'compacting', 'finishing'];
const STATES: readonly string[] = [
  'queued',
  'running',
  'awaiting_human',
  'paused',
  'completed',
  'stopped',
  'failed',
  'cancelled',
  'terminated',
];

export async function listRunsFor(context: Context, flags: ListFlags): Promise<number> {
  const filter = filterOf(flags);
  return await withServer(context, async ({ client }) => {
    const runs = await listRuns(client, { limit: flags.limit, ...(filter === '' ? {} : { filter }) });
    const { terminal } = context;
    if (flags.json === true) terminal.print(safeJson(runs.map(listed), 2));
    else if (runs.length === 0)
      terminal.say(filter === '' ? 'No runs yet. Start one with "nightshift run <agent> <task>".' : 'No run matches.');
    else terminal.print(tableText(['RUN', 'STATE', 'AGENT', 'STARTED', 'TURNS', 'COST', 'NOW'], runs.map(rowOf)));
    return EXIT.done;
  });
}

/** The condition in Temporal's list syntax; empty when there is none. */
export function filterOf({ state, agent }: Pick<ListFlags, 'state' | 'agent'>): string {
  const conditions: string[] = [];
  if (state !== undefined) conditions.push(stateCondition(state));
  if (agent !== undefined) {
    if (!/^[\w .-]{1,64}$/u.test(agent))
      throw new CommandFailure(
        EXIT.usage,
        `Cannot list runs of "${shortLine(agent, 80)}": no agent can have this name`,
      );
    conditions.push(`NightshiftAgent = '${agent}'`);
  }
  return conditions.join(' AND ');
}

function stateCondition(state: string): string {
  const known = WORKING.includes(state) ? 'running' : state;
  if (!STATES.includes(known))
    throw new CommandFailure(
      EXIT.usage,
      `Cannot list runs in the state "${shortLine(state, 40)}": expected one of ${STATES.join(', ')}`,
    );
  if (known === 'terminated') return `ExecutionStatus = 'Terminated'`;
  return known === 'queued' || known === 'running'
    ? `NightshiftState = '${known}' AND ExecutionStatus = 'Running'`
    : `NightshiftState = '${known}'`;
}

/** The state as the run wrote it down; Temporal's own word when it was ended from outside. */
export function stateOf({ status, memo }: Pick<ListedRun, 'status' | 'memo'>): string {
  if (memo === null) return status.toLowerCase();
  return status !== 'RUNNING' && memo.result === null ? status.toLowerCase() : memo.state;
}

function rowOf(run: ListedRun): readonly string[] {
  const { runId, startedAt, memo, status } = run;
  const started = relativeText(startedAt.getTime(), Date.now());
  if (memo === null) return [runId, stateOf(run), '', started, '', '', ''];
  const { agent, offline, totals, now, title } = memo;
  const { costUsd } = totals.usage;
  return [
    runId,
    stateOf(run),
    `${shortLine(agent, 24)}${offline ? ' (offline)' : ''}`,
    started,
    String(totals.turns),
    costUsd === null ? '' : `$${costUsd.toFixed(2)}`,
    shortLine(status === 'RUNNING' ? now : title, 80),
  ];
}

function listed(run: ListedRun): unknown {
  const { runId, startedAt, closedAt, taskQueue, memo } = run;
  return {
    run_id: runId,
    state: stateOf(run),
    started_at: startedAt.toISOString(),
    closed_at: closedAt?.toISOString() ?? null,
    task_queue: taskQueue,
    ...(memo === null ? {} : memoJson(memo)),
  };
}

function memoJson({ agent, title, model, offline, now, totals, approvals, result }: RunMemo): object {
  const open = approvals.filter(({ status }) => status === 'open').map(({ id }) => id);
  return { agent, title, model, offline, now, totals, open_approvals: open, outcome: result?.outcome ?? null };
}
