import { startDevServer, stopDevServer } from '../../temporal/dev-server.ts';
import { connectClient } from '../../temporal/connect.ts';
import { isAlive } from '../../temporal/process-identity.ts';
import { readLock } from '../../temporal/server-lock.ts';
import { ensureSearchAttributes } from '../../temporal/search-attributes.ts';
import type { TemporalTarget } from '../../config/temporal-target.ts';
import type { Context } from '../context.ts';

/** The Temporal server that the services work with: one that was named, or our own. */
export interface ServiceServer {
  readonly target: TemporalTarget;
  readonly uiUrl: string | null;
  /** True for our own, which is started again when it dies and ended with the services. */
  readonly ours: boolean;
  /** Starts our own server again if it died. Resolves to true when it did. */
  readonly revive: () => Promise<boolean>;
  readonly stop: () => Promise<void>;
}

/** Connects to the server that was named, or starts the one of the data folder. */
export async function openServiceServer(context: Context): Promise<ServiceServer> {
  const { temporal } = context.settings;
  return temporal === null ? await startOwn(context) : await useNamed(temporal);
}

async function useNamed(target: TemporalTarget): Promise<ServiceServer> {
  const { connection, close } = await connectClient(target);
  try {
    await ensureSearchAttributes(connection, target.namespace);
  } finally {
    await close();
  }
  const nothing = async (): Promise<void> => await Promise.resolve();
  return {
    target,
    uiUrl: cloudUi(target.address),
    ours: false,
    revive: async () => await Promise.resolve(false),
    stop: nothing,
  };
}

/** Only for Temporal Cloud is the place of the UI known from the address. */
export function cloudUi(address: string): string | null {
  return /\.(tmprl\.cloud|temporal\.io)(:\d+)?$/u.test(address) ? 'https://cloud.temporal.io' : null;
}

async function startOwn(context: Context): Promise<ServiceServer> {
  const { env, settings, terminal } = context;
  const { dataFolder } = settings.folders;
  const options = { ...settings.folders, env, onProgress: terminal.say };
  const server = await startDevServer(options);
  const ports = { grpc: portOf(server.address), ui: portOf(server.uiUrl) };
  return {
    target: { address: server.address, namespace: server.namespace },
    uiUrl: server.uiUrl,
    ours: true,
    async revive() {
      const lock = await readLock(dataFolder);
      if (lock !== null && (await isAlive(lock.holder))) return false;
      // On its old ports, because worker and readers know no others.
      await startDevServer({ ...options, ports });
      return true;
    },
    // One that an earlier supervisor left behind is ours as well: nobody else would end it.
    stop: async () => void (await stopDevServer(dataFolder)),
  };
}

function portOf(address: string): number {
  return Number(/:(\d+)$/u.exec(address)?.[1] ?? 0);
}
