import { ApplicationFailure, Context } from '@temporalio/activity';
import type { LeaseInput, LeaseResult } from '../contract/activities.ts';
import { FAILURES } from '../contract/names.ts';
import type { Dependencies } from './dependencies.ts';
import type { LedgerDesk } from './ledger-desk.ts';
import { readTranscript } from './read-transcript.ts';

export interface LeasingDependencies extends Pick<Dependencies, 'transcripts'> {
  readonly desk: LedgerDesk;
}

/** Asks the ledger of the run's spec for a slice. What passes by itself is thrown and retried. */
export async function leaseBudget({ transcripts, desk }: LeasingDependencies, input: LeaseInput): Promise<LeaseResult> {
  const { info, client } = Context.current();
  const { spec } = await readTranscript(transcripts, { messages: 0 });
  const { ledger, caps = [] } = spec.budget ?? {};
  const { workflowExecution: run } = info;
  if (ledger === undefined || caps.length === 0 || run === undefined) {
    const message = `Cannot lease from a budget: the spec of "${spec.runId}" names no ledger with caps`;
    throw ApplicationFailure.nonRetryable(message, FAILURES.leaseRefused);
  }
  const place = { client, ledger, taskQueue: info.taskQueue };
  return await desk(place, { run: run.workflowId, execution: run.runId, caps, input });
}
