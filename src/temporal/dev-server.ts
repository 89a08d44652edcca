import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '../config/environment.ts';
import { checkDatabase } from './check-database.ts';
import { NoServerError, ServerDidNotStart, ServerUnreachable } from './errors.ts';
import { findServerBinary } from './find-server.ts';
import { choosePorts, LOOPBACK, randomPorts, type ServerPorts } from './free-ports.ts';
import { findOrphanServer } from './orphan-server.ts';
import { identify, isAlive, type ProcessIdentity } from './process-identity.ts';
import { claimLock, type HeldLock, readLock, releaseLock, type ServerLock, updateLock } from './server-lock.ts';
import { launchServer } from './server-process.ts';
import { stopProcess } from './stop-process.ts';
import { waitForServer } from './wait-for-server.ts';

export interface DevServerOptions {
  /** Holds the database, the lock and the log. */
  readonly dataFolder: string;
  readonly cacheFolder: string;
  readonly env: Environment;
  readonly onProgress: (line: string) => void;
  /** Left out: the usual ports, or free ones when they are taken. Ports given here are used or the start fails. */
  readonly ports?: ServerPorts | 'free';
  /** True for a server that outlives its starter. */
  readonly detached?: boolean;
}

export interface DevServer {
  readonly address: string;
  readonly uiUrl: string;
  readonly namespace: string;
  readonly pid: number;
  /** False when it ran before; `stop` then leaves it running. */
  readonly startedByUs: boolean;
  readonly stop: () => Promise<void>;
}

const NAMESPACE = 'default';

/** How long we wait for another starter, and for a server that runs to answer. */
const OTHERS_TIMEOUT_MS = 60_000;
const ANSWER_TIMEOUT_MS = 30_000;

/** Starts that fail only because somebody took the port first. */
const PORT_ATTEMPTS_MAX = 5;

/**
 * Attaches to the server of this data folder, or starts it.
 *
 * @throws {NoServerError} no binary is found and none can be had
 * @throws {DatabaseDamaged} the database fails its check
 * @throws {ServerDidNotStart} the process ends or stays silent
 * @throws {ServerUnreachable} a server runs and does not answer
 */
export async function startDevServer(options: DevServerOptions): Promise<DevServer> {
  const running = await attachDevServer(options.dataFolder);
  if (running !== null) return running;
  const { found, tried } = await findServerBinary(options);
  if (found === null) throw new NoServerError(tried);

  const claim = await claimWhenFree(options.dataFolder);
  if (claim.kind === 'running') return await attachTo(claim.lock);
  try {
    return await startHolding({ ...options, binary: found.path, lock: claim.lock });
  } catch (error) {
    await releaseLock(claim.lock);
    throw error;
  }
}

/** The server that already runs for this data folder, or null. */
export async function attachDevServer(dataFolder: string): Promise<DevServer | null> {
  const lock = await readLock(dataFolder);
  return lock?.state === 'running' ? await attachTo(lock) : null;
}

/** Ends the server of this data folder, whoever started it. Returns false when none runs. */
export async function stopDevServer(dataFolder: string): Promise<boolean> {
  const lock = await readLock(dataFolder);
  if (lock?.state !== 'running') return false;
  await stopProcess(lock.holder);
  return true;
}

type HeldOrRunning =
  | { readonly kind: 'held'; readonly lock: HeldLock }
  | { readonly kind: 'running'; readonly lock: ServerLock };

async function claimWhenFree(dataFolder: string): Promise<HeldOrRunning> {
  const holder = await identityOf(process.pid);
  const deadline = performance.now() + OTHERS_TIMEOUT_MS;
  for (;;) {
    const claim = await claimLock(dataFolder, lockContent(dataFolder, { holder, state: 'starting', ports: NO_PORTS }));
    if (claim.kind === 'held') return claim;
    if (claim.by.state === 'running') return { kind: 'running', lock: claim.by };
    if (performance.now() > deadline) {
      const reason = `process ${claim.by.holder.pid} has been starting it for ${OTHERS_TIMEOUT_MS / 1_000} s`;
      throw new ServerDidNotStart(reason, logFileOf(dataFolder));
    }
    await sleep(100);
  }
}

interface Holding extends DevServerOptions {
  readonly binary: string;
  readonly lock: HeldLock;
}

async function startHolding(holding: Holding): Promise<DevServer> {
  const { dataFolder, lock } = holding;
  const orphan = await findOrphanServer(databaseOf(dataFolder));
  if (orphan !== null) {
    const content = lockContent(dataFolder, {
      holder: await identityOf(orphan.pid),
      state: 'running',
      ports: orphan.ports,
    });
    await updateLock(lock, content);
    return await attachTo(content);
  }
  await checkDatabase(databaseOf(dataFolder));
  holding.onProgress('Starting the Temporal server');
  return await startProcess(holding);
}

async function startProcess(holding: Holding): Promise<DevServer> {
  const { dataFolder, lock } = holding;
  const { child, pid, ports } = await launchOnFreePorts(holding);
  const holder = await identityOf(pid);
  const content = lockContent(dataFolder, { holder, state: 'running', ports });
  const killWithUs = (): void => void child.kill('SIGTERM');
  if (holding.detached !== true) process.once('exit', killWithUs);
  child.unref();
  const stop = async (): Promise<void> => {
    process.removeListener('exit', killWithUs);
    await stopProcess(holder);
    await releaseLock(lock);
  };
  try {
    await updateLock(lock, content);
    await keepPrivate(databaseOf(dataFolder));
    await waitForServer({ address: addressOf(ports), namespace: NAMESPACE, timeoutMs: ANSWER_TIMEOUT_MS });
  } catch (error) {
    await stop();
    throw error;
  }
  return { ...describe(content), startedByUs: true, stop };
}

/** Conversations stand in these files, and the server creates them readable for everybody. */
async function keepPrivate(database: string): Promise<void> {
  await Promise.all(
    ['', '-wal', '-shm'].map(async (suffix) => await chmod(database + suffix, 0o600).catch(ignoreMissing)),
  );
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

type Launched = Extract<Awaited<ReturnType<typeof launchServer>>, { kind: 'started' }> & {
  readonly ports: ServerPorts;
};

async function launchOnFreePorts({ dataFolder, binary, env, ports: wanted }: Holding): Promise<Launched> {
  const logFile = logFileOf(dataFolder);
  let ports = await firstPorts(wanted);
  for (let attempt = 1; ; attempt += 1) {
    const end = await launchServer({ binary, database: databaseOf(dataFolder), logFile, ports, env });
    if (end.kind === 'started') return { ...end, ports };
    if (typeof wanted === 'object' || attempt === PORT_ATTEMPTS_MAX) throw new ServerDidNotStart(end.reason, logFile);
    ports = await randomPorts();
  }
}

async function firstPorts(wanted: DevServerOptions['ports']): Promise<ServerPorts> {
  if (wanted === undefined) return await choosePorts();
  return wanted === 'free' ? await randomPorts() : wanted;
}

async function attachTo(lock: ServerLock): Promise<DevServer> {
  const address = addressOf(lock.ports);
  try {
    await waitForServer({ address, namespace: NAMESPACE, timeoutMs: ANSWER_TIMEOUT_MS });
  } catch (error) {
    const reason = `process ${lock.holder.pid} runs it on ${lock.database} and does not answer`;
    throw (await isAlive(lock.holder)) ? new ServerUnreachable(address, reason, error) : error;
  }
  return { ...describe(lock), startedByUs: false, stop: async () => await Promise.resolve() };
}

function describe({ ports, holder }: ServerLock): Omit<DevServer, 'startedByUs' | 'stop'> {
  return {
    address: addressOf(ports),
    uiUrl: `http://${LOOPBACK}:${ports.ui}`,
    namespace: NAMESPACE,
    pid: holder.pid,
  };
}

const NO_PORTS: ServerPorts = { grpc: 0, ui: 0 };

function lockContent(dataFolder: string, rest: Omit<ServerLock, 'database'>): ServerLock {
  return { ...rest, database: databaseOf(dataFolder) };
}

async function identityOf(pid: number): Promise<ProcessIdentity> {
  const identity = await identify(pid);
  if (identity === null) throw new Error(`Cannot identify process "${pid}": it is gone`);
  return identity;
}

function addressOf(ports: ServerPorts): string {
  return `${LOOPBACK}:${ports.grpc}`;
}

function databaseOf(dataFolder: string): string {
  return join(dataFolder, 'temporal.db');
}

function logFileOf(dataFolder: string): string {
  return join(dataFolder, 'temporal.log');
}
