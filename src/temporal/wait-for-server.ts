import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { ServerUnreachable } from './errors.ts';

/** One question to the server, in milliseconds. */
const CALL_TIMEOUT_MS = 2_000;
const POLL_MS = 50;

export interface AwaitedServer {
  readonly address: string;
  readonly namespace: string;
  readonly timeoutMs: number;
}

/** Asks a local server for its namespace until it answers. */
export async function waitForServer({ address, namespace, timeoutMs }: AwaitedServer): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  const connection = Connection.lazy({ address });
  try {
    for (;;) {
      try {
        await connection.withDeadline(Date.now() + CALL_TIMEOUT_MS, async () => {
          await connection.workflowService.describeNamespace({ namespace });
        });
        return;
      } catch (error) {
        if (performance.now() > deadline) {
          throw new ServerUnreachable(address, `it did not answer within ${timeoutMs / 1_000} s`, error);
        }
        await sleep(POLL_MS);
      }
    }
  } finally {
    await connection.close();
  }
}
