import { Context } from '@temporalio/activity';
import type { TranscriptPage, TranscriptPart } from '../contract/activities.ts';
import type { Message } from '../contract/messages.ts';
import { QUERIES } from '../contract/names.ts';
import type { RunSpec } from '../contract/spec.ts';
import type { Transcript, TranscriptCache } from './transcript-cache.ts';

/**
 * That part of the transcript of the run this activity belongs to: from the worker's cache, or, when another process
 * or a restart left it empty, from the workflow by query.
 */
export async function readTranscript(cache: TranscriptCache, part: TranscriptPart): Promise<Transcript> {
  const { runId } = executionOf();
  return cache.read(runId, part) ?? (await askWorkflow(part));
}

/** Long enough to replay a long run first. Milliseconds. */
const PAGE_MS_MAX = 20_000;

/**
 * A question that was given to a worker which was lost with it is never answered, so each has a deadline; the step is then
 * tried again.
 */
async function askWorkflow({ messages: count, compactions }: TranscriptPart): Promise<Transcript> {
  const { workflowId, runId } = executionOf();
  const { client } = Context.current();
  const handle = client.workflow.getHandle(workflowId, runId);
  const messages: Message[] = [];
  let spec: RunSpec | undefined;
  while (spec === undefined || messages.length < count) {
    const from = messages.length;
    const page = await client.withDeadline(
      Date.now() + PAGE_MS_MAX,
      async () => await handle.query<TranscriptPage, [unknown]>(QUERIES.transcript, { from }),
    );
    if (compactions !== undefined && page.compactions !== compactions)
      throw new Error(`Cannot read the transcript of "${workflowId}": it was compacted meanwhile`);
    spec ??= page.spec;
    messages.push(...page.messages);
    if (spec === undefined || page.messages.length === 0) break;
  }
  if (spec === undefined || messages.length < count) {
    throw new Error(`Cannot read the transcript of "${workflowId}": ${messages.length} of ${count} messages came`);
  }
  return { spec, messages: messages.slice(0, count) };
}

/** The execution that scheduled this activity. */
function executionOf(): { readonly workflowId: string; readonly runId: string } {
  const { workflowExecution } = Context.current().info;
  if (workflowExecution === undefined)
    throw new Error('Cannot run this activity by itself: it belongs to an agent run');
  return workflowExecution;
}
