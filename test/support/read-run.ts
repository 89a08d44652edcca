import type { Client } from '@temporalio/client';
import { readRun } from '../../src/client.ts';
import type { RunResult } from '../../src/contract/run.ts';

/** Waits for the end of a run, through all its continuations, and returns what it left in its memo. */
export async function readRunToEnd(client: Client, runId: string): Promise<RunResult> {
  for (;;) {
    const reading = await readRun(client, runId);
    if (reading.kind === 'gone') throw new Error(`Cannot wait for "${runId}": it is gone`);
    if (reading.kind === 'ended') {
      if (reading.memo?.result == null)
        throw new Error(`Run "${runId}" was closed as ${reading.closedAs} without a result`);
      return reading.memo.result;
    }
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
}
