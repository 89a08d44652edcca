import { NativeConnection } from '@temporalio/worker';
import type { TemporalTarget } from '../config/temporal-target.ts';
import { CONNECT_TIMEOUT_MS, connectionOptions, explained } from './connect.ts';

// A file of its own, because only workers need the native library, and loading it is most of a command's start.

/** Connects a worker. Throws as `connectClient` does; the namespace is checked by the worker itself. */
export async function connectWorker(target: TemporalTarget): Promise<NativeConnection> {
  return await explained(target, async () => await withTimeLimit(NativeConnection.connect(connectionOptions(target))));
}

/** The native library has no time limit of its own; a connection that arrives later is closed. */
async function withTimeLimit(connecting: Promise<NativeConnection>): Promise<NativeConnection> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      void connecting.then(
        async (connection) => await connection.close(),
        () => undefined,
      );
      reject(new Error(`it did not answer within ${CONNECT_TIMEOUT_MS / 1_000} s`));
    }, CONNECT_TIMEOUT_MS);
  });
  try {
    return await Promise.race([connecting, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
