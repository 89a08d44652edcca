import { WorkflowNotFoundError, type Client, type WorkflowExecutionDescription } from '@temporalio/client';
import { MEMO_KEY, QUERIES } from '../contract/names.ts';
import type { RunMemo, RunView } from '../contract/run.ts';

/** How long a reader waits for the worker before it says what is known without one. Milliseconds. */
export const READ_TIMEOUT_MS = 3_000;

/**
 * What is known of a run. Nobody answering is not the same as finished, and neither is a guess:
 *
 * - `live`: the run itself answered.
 * - `asleep`: it is open, but no worker answers; this is what it last wrote down.
 * - `ended`: it is closed, with what it left; `closedAs` is Temporal's word.
 * - `gone`: the server knows no such run.
 * - `unreachable`: the server did not answer.
 */
export type Reading =
  | { readonly kind: 'live'; readonly view: RunView }
  | { readonly kind: 'asleep'; readonly memo: RunMemo | null; readonly why: string }
  | { readonly kind: 'ended'; readonly memo: RunMemo | null; readonly closedAs: string }
  | { readonly kind: 'gone' }
  | { readonly kind: 'unreachable'; readonly message: string };

/** Reads a run, within about three seconds whatever is down. */
export async function readRun(client: Client, runId: string): Promise<Reading> {
  const described = await describeRun(client, runId);
  if ('kind' in described) return described;
  const memo = memoOf(described);
  if (described.status.name !== 'RUNNING') return { kind: 'ended', memo, closedAs: described.status.name };
  try {
    const view = await queryRun<RunView>(client, runId, { name: QUERIES.state, input: {} });
    return { kind: 'live', view };
  } catch (error) {
    return { kind: 'asleep', memo, why: error instanceof Error ? firstLine(error.message) : String(error) };
  }
}

/** Asks a run a question, within the reading time limit. */
export async function queryRun<T>(
  client: Client,
  runId: string,
  query: { readonly name: string; readonly input: unknown },
): Promise<T> {
  const handle = client.workflow.getHandle(runId);
  return await within(client, async () => await handle.query<T, [unknown]>(query.name, query.input));
}

export async function describeRun(
  client: Client,
  runId: string,
): Promise<WorkflowExecutionDescription | Extract<Reading, { kind: 'gone' | 'unreachable' }>> {
  try {
    return await within(client, async () => await client.workflow.getHandle(runId).describe());
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { kind: 'gone' };
    return { kind: 'unreachable', message: error instanceof Error ? firstLine(error.message) : String(error) };
  }
}

/** What a run wrote into its memo, or null when it is not one of ours or has not begun. */
export function memoOf({ memo }: { readonly memo?: Record<string, unknown> | undefined }): RunMemo | null {
  return (memo?.[MEMO_KEY] as RunMemo | undefined) ?? null;
}

async function within<T>(client: Client, call: () => Promise<T>): Promise<T> {
  return await client.withDeadline(Date.now() + READ_TIMEOUT_MS, call);
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? text;
}
