import { Client, Connection, isGrpcServiceError } from '@temporalio/client';
import type { TemporalTarget } from '../config/temporal-target.ts';
import { dataConverter } from './data-converter.ts';
import { NotAllowed, ServerUnreachable } from './errors.ts';

/** A server that is there answers in milliseconds, one across the world in under a second. */
export const CONNECT_TIMEOUT_MS = 5_000;

/** Status codes of gRPC that mean "not with these credentials". */
const REFUSALS: ReadonlySet<number> = new Set([7, 16]);

export interface ClientConnection {
  readonly client: Client;
  readonly connection: Connection;
  readonly close: () => Promise<void>;
}

/**
 * Connects a client and asks the server one question, so that a wrong address, key or namespace is told now.
 *
 * @throws {ServerUnreachable} nothing answers within 5 seconds
 * @throws {NotAllowed} the server refuses the credentials
 */
export async function connectClient(target: TemporalTarget): Promise<ClientConnection> {
  const connection = await explained(target, async () => {
    const options = { ...connectionOptions(target), connectTimeout: CONNECT_TIMEOUT_MS };
    return await Connection.connect(options);
  });
  try {
    await explained(target, async () => {
      await connection.withDeadline(Date.now() + CONNECT_TIMEOUT_MS, async () => {
        await connection.workflowService.describeNamespace({ namespace: target.namespace });
      });
    });
  } catch (error) {
    await connection.close();
    throw error;
  }
  const client = new Client({ connection, namespace: target.namespace, dataConverter });
  return { client, connection, close: async () => await connection.close() };
}

/** True for an answer of the server that says "you may not". */
export function isRefusal(error: unknown): boolean {
  return statusOf(error).some((code) => REFUSALS.has(code)) || REFUSAL_WORDS.test(messageOf(error));
}

/** How the native library words the two codes while it connects; it keeps no number there. */
const REFUSAL_WORDS = /valid authentication credentials|permission to execute the specified operation/;

/** Everything of a target but the namespace, as both kinds of connection take it. */
export function connectionOptions({
  address,
  apiKey,
  tls,
  metadata,
}: TemporalTarget): Omit<TemporalTarget, 'namespace'> {
  return {
    address,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(tls === undefined ? {} : { tls }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

/** Runs `connect` and says in our own words why it failed. Throws as `connectClient` does. */
export async function explained<T>(target: TemporalTarget, connect: () => Promise<T>): Promise<T> {
  try {
    return await connect();
  } catch (error) {
    if (isRefusal(error)) {
      throw new NotAllowed(`use the Temporal server at "${target.address}"`, messageOf(error), error);
    }
    if (statusOf(error).includes(5)) {
      throw new NotAllowed(
        `use the namespace "${target.namespace}"`,
        `the server at ${target.address} has none`,
        error,
      );
    }
    throw new ServerUnreachable(target.address, messageOf(error), error);
  }
}

/** The codes of an error and of what caused it; the SDK wraps them differently by kind of connection. */
function statusOf(error: unknown): readonly number[] {
  if (!(error instanceof Error)) return [];
  return [...(isGrpcServiceError(error) ? [error.code] : []), ...statusOf(error.cause)];
}

/** One line: the deepest cause is the plainest. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return messageOf(error.cause);
  const line = error.message.split('\n')[0] ?? '';
  return /deadline/i.test(line) ? `it did not answer within ${CONNECT_TIMEOUT_MS / 1_000} s` : line;
}
