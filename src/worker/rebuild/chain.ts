import { isGrpcServiceError, type Client } from '@temporalio/client';
import type { HistoryEvent } from './history.ts';

/** One execution of a run: a run continues as new in another when its history is long. */
export interface Execution {
  readonly id: string;
  /** False when the server no longer keeps its history. */
  readonly isKept: boolean;
}

export interface Chain {
  /** The oldest first. */
  readonly executions: readonly Execution[];
  /** Whether the newest still goes on. */
  readonly isOpen: boolean;
}

/**
 * Finds the executions of a run, from the newest back. Behind one that is not kept the list of the server is asked
 * for earlier ones; usually there are none, because the oldest are dropped first.
 *
 * @throws {WorkflowNotFoundError} the server knows no such run
 */
export async function findChain(client: Client, runId: string): Promise<Chain> {
  const newest = await client.workflow.getHandle(runId).describe();
  const executions: Execution[] = [];
  let first = '';
  let next: string | undefined = newest.runId;
  while (next !== undefined && next !== '') {
    const start: Start | null = await startOf(client, runId, next);
    executions.unshift({ id: next, isKept: start !== null });
    first = start?.first ?? first;
    next = start === null ? await beforeMissing(client, runId, { first, executions }) : start.before;
  }
  return { executions, isOpen: newest.status.name === 'RUNNING' };
}

interface Start {
  readonly before: string;
  readonly first: string;
}

/** The status code of gRPC for what is not there. */
const GONE: ReadonlySet<number> = new Set([5]);

/** How an execution came to be; null when it is not kept. */
async function startOf(client: Client, workflowId: string, id: string): Promise<Start | null> {
  try {
    const { history } = await client.workflowService.getWorkflowExecutionHistory({
      namespace: client.options.namespace,
      execution: { workflowId, runId: id },
      maximumPageSize: 1,
    });
    const [event] = history?.events ?? [];
    return startIn(event ?? {});
  } catch (error) {
    if (isGrpcServiceError(error) && GONE.has(error.code)) return null;
    throw error;
  }
}

function startIn({ workflowExecutionStartedEventAttributes: started }: HistoryEvent): Start {
  return { before: started?.continuedExecutionRunId ?? '', first: started?.firstExecutionRunId ?? '' };
}

/** The newest execution of the same run that is older than all that were found. */
async function beforeMissing(
  client: Client,
  workflowId: string,
  { first, executions }: { readonly first: string; readonly executions: readonly Execution[] },
): Promise<string | undefined> {
  const seen = new Set(executions.map(({ id }) => id));
  const listed = new Map<string, number>();
  for await (const { runId, startTime, raw } of client.workflow.list({ query: `WorkflowId = '${workflowId}'` })) {
    if (raw.firstRunId === first) listed.set(runId, startTime.getTime());
  }
  const oldestSeen = Math.min(...[...listed].filter(([id]) => seen.has(id)).map(([, at]) => at));
  const older = [...listed].filter(([id, at]) => !seen.has(id) && at <= oldestSeen);
  return older.toSorted(([, a], [, b]) => b - a)[0]?.[0];
}
