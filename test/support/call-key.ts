import type { Client } from '@temporalio/client';
import { keyOf } from '../../src/activities/call-key.ts';
import { digestOf } from '../../src/tools/digest.ts';

/** One call by where it stands in its run. Turns count from 1, calls of a turn from 0. */
export interface CallPlace {
  readonly turn: number;
  readonly index: number;
  readonly tool: string;
  readonly input: unknown;
}

/** Id of the first execution of a run, which is part of the names of all its calls. */
export async function chainOf(client: Client, runId: string): Promise<string> {
  const { raw, runId: execution } = await client.workflow.getHandle(runId).describe();
  return raw.workflowExecutionInfo?.firstRunId ?? execution;
}

/** The name of a call as the ledger has it. */
export function keyOfCall(chain: string, { turn, index, tool, input }: CallPlace): string {
  return keyOf({ chain, turn, index, callId: '', digest: digestOf(tool, input), messages: 0 });
}
