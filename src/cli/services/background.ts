import { spawn } from 'node:child_process';
import { mkdir, open, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { NoServerError } from '../../temporal/errors.ts';
import { findServerBinary } from '../../temporal/find-server.ts';
import { readLock } from '../../temporal/server-lock.ts';
import { CommandFailure } from '../command-failure.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { visibleLines } from '../text/visible.ts';
import { readServices, type ServicesRecord } from './record.ts';

/** Services started on the way, by `run`, end by themselves after an hour without a run. */
export const IDLE_STOP_MS = 60 * 60_000;

/** Server and worker start in 3 s here; a loaded machine, and one that bundles the workflows first, get longer. */
const READY_TIMEOUT_MS = 120_000;
const POLL_MS = 100;
const LOG_BYTES_MAX = 10 * 1_024 * 1_024;
const LOG_LINES_SHOWN = 12;

/**
 * Starts the services as a process of their own, which outlives this one, and waits until they are ready.
 *
 * @throws {CommandFailure} they end or stay silent instead
 */
export async function startInBackground(context: Context, idleStopMs: number): Promise<ServicesRecord> {
  const { terminal, settings } = context;
  await findBinaryHere(context);
  terminal.say(
    settings.temporal === null
      ? 'Starting Temporal server and worker in the background'
      : 'Starting a worker in the background',
  );
  const logPath = await openLogFolder(settings.folders.dataFolder);
  const log = await open(logPath, 'a', 0o600);
  try {
    const words = [
      context.build.main,
      'up',
      '--in-background',
      logPath,
      '--idle-stop',
      idleStopMs === 0 ? '0' : `${idleStopMs}ms`,
    ];
    // Nothing of the caller is kept open: no pipe, no folder.
    const child = spawn(process.execPath, words, {
      detached: true,
      cwd: settings.folders.dataFolder,
      stdio: ['ignore', log.fd, log.fd],
    });
    const from = (await log.stat()).size;
    const ended = new Promise<true>((resolve) => {
      child.once('error', () => resolve(true));
      child.once('exit', () => resolve(true));
    });
    child.unref();
    return await waitUntilReady(context, { ended, logPath, from });
  } finally {
    await log.close();
  }
}

/** A build takes minutes, and whoever waits for it should see it: so it is done here, not in the background. */
async function findBinaryHere({ settings, env, terminal }: Context): Promise<void> {
  const { dataFolder } = settings.folders;
  if (settings.temporal !== null || (await readLock(dataFolder)) !== null) return;
  const { found, tried } = await findServerBinary({ ...settings.folders, env, onProgress: terminal.say });
  if (found === null) throw new NoServerError(tried);
}

interface Waiting {
  readonly ended: Promise<true>;
  readonly logPath: string;
  /** Size of the log before this start, in bytes. */
  readonly from: number;
}

async function waitUntilReady({ settings }: Context, { ended, logPath, from }: Waiting): Promise<ServicesRecord> {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  while (performance.now() < deadline) {
    const over = await Promise.race([ended, sleep(POLL_MS, false as const)]);
    const record = await readServices(settings.folders.dataFolder);
    if (record?.state === 'ready') return record;
    // Somebody else may have been faster; then theirs are waited for.
    if (over && record === null) throw new CommandFailure(EXIT.unreachable, await lastWords(logPath, from));
  }
  throw new CommandFailure(
    EXIT.unreachable,
    `Cannot start the services: they are not ready after ${READY_TIMEOUT_MS / 1_000} s; their log: ${logPath}`,
  );
}

async function lastWords(logPath: string, from: number): Promise<string> {
  const log = await readFile(logPath).catch(() => Buffer.alloc(0));
  const lines = visibleLines(log.subarray(from).toString('utf8').trim()).slice(-LOG_LINES_SHOWN);
  return [
    `Cannot start the services: they ended at once; their log, ${logPath}, ends with:`,
    ...lines.map((line) => `  ${line}`),
  ].join('\n');
}

async function openLogFolder(dataFolder: string): Promise<string> {
  const folder = join(dataFolder, 'logs');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'up.log');
  const { size } = await stat(path).catch(() => ({ size: 0 }));
  if (size > LOG_BYTES_MAX) await rename(path, `${path}.1`);
  return path;
}
