import type { Client } from '@temporalio/client';
import type { TemporalTarget } from '../config/temporal-target.ts';
import { connectClient } from '../temporal/connect.ts';
import { LOOPBACK } from '../temporal/free-ports.ts';
import { readLock } from '../temporal/server-lock.ts';
import { CommandFailure } from './command-failure.ts';
import type { Context } from './context.ts';
import { EXIT } from './exit-codes.ts';
import { readServices } from './services/record.ts';
import { cloudUi } from './services/server.ts';

/** Which server a command talks to. */
export interface FoundServer {
  readonly target: TemporalTarget;
  readonly uiUrl: string | null;
}

export interface ServerAccess extends FoundServer {
  readonly client: Client;
}

/** The server that is named, else the one of our services, else one they left running; null when there is none. */
export async function findServer({ settings }: Context): Promise<FoundServer | null> {
  const { dataFolder } = settings.folders;
  const record = await readServices(dataFolder);
  if (settings.temporal !== null) {
    const same = record?.address === settings.temporal.address;
    return { target: settings.temporal, uiUrl: (same ? record.uiUrl : null) ?? cloudUi(settings.temporal.address) };
  }
  if (record !== null && record.address !== '') {
    return { target: { address: record.address, namespace: record.namespace }, uiUrl: record.uiUrl };
  }
  const lock = await readLock(dataFolder);
  if (lock?.state !== 'running') return null;
  const target = { address: `${LOOPBACK}:${lock.ports.grpc}`, namespace: 'default' };
  return { target, uiUrl: `http://${LOOPBACK}:${lock.ports.ui}` };
}

/**
 * Does something with the server and closes the connection.
 *
 * @throws {CommandFailure} no server runs
 */
export async function withServer<T>(context: Context, use: (server: ServerAccess) => Promise<T>): Promise<T> {
  const found = await findServer(context);
  if (found === null) {
    throw new CommandFailure(
      EXIT.unreachable,
      'Cannot reach a Temporal server: none runs here; start it with "nightshift up --detach", or set TEMPORAL_ADDRESS',
    );
  }
  const { client, close } = await connectClient(found.target);
  try {
    return await use({ ...found, client });
  } finally {
    await close();
  }
}

/** The page of a run in the Temporal UI, where that is known. */
export function runPage({ uiUrl, target }: FoundServer, runId: string): string | null {
  return uiUrl === null
    ? null
    : `${uiUrl}/namespaces/${encodeURIComponent(target.namespace)}/workflows/${encodeURIComponent(runId)}`;
}
