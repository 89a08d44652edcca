import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { readEnvironment } from '../src/config/environment.ts';
import { findFolders } from '../src/config/folders.ts';
import type { TemporalTarget } from '../src/config/temporal-target.ts';
import { connectClient } from '../src/temporal/connect.ts';
import { startDevServer, type DevServer } from '../src/temporal/dev-server.ts';
import { silenceWorkers } from './silence.ts';

/** The workflow code as it is shipped: bundled by the build, so that a worker starts without bundling. */
export const bundlePath = join(import.meta.dirname, '..', '..', 'workflow-bundle.js');

/** A tuned server of our own, a workspace and a client, for one benchmark run. */
export interface Setting {
  readonly target: TemporalTarget;
  readonly client: Client;
  readonly server: DevServer;
  readonly folder: string;
  readonly workspace: string;
  readonly close: () => Promise<void>;
}

export async function openSetting(): Promise<Setting> {
  silenceWorkers();
  const env = readEnvironment();
  const folder = await mkdtemp(join(tmpdir(), 'nightshift-bench-'));
  const workspace = await mkdtemp(join(folder, 'workspace-'));
  const { cacheFolder } = findFolders(env);
  const server = await startDevServer({ dataFolder: folder, cacheFolder, env, onProgress: say, ports: 'free' });
  const target = { address: server.address, namespace: server.namespace };
  const { client, close } = await connectClient(target);
  return {
    target,
    client,
    server,
    folder,
    workspace,
    async close() {
      await close();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Progress goes to stderr, figures to stdout. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}
