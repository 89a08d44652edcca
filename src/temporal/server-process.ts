import { spawn, type ChildProcess } from 'node:child_process';
import { open, rename, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '../config/environment.ts';
import { SEARCH_ATTRIBUTES } from '../contract/names.ts';
import { ServerDidNotStart } from './errors.ts';
import { LOOPBACK, type ServerPorts } from './free-ports.ts';
import { lastLine } from './run-command.ts';

/** A start takes about a second here; a machine under load gets a minute. */
const START_TIMEOUT_MS = 60_000;

/** The log holds errors only; past this size it is set aside once, in bytes. */
const LOG_BYTES_MAX = 10 * 1_024 * 1_024;

const POLL_MS = 25;

/**
 * As it comes, the server looks for work 20 times a second at most and hands out an activity by another round trip:
 * 200 ms a turn instead of 23. And it holds every timer for up to a second, in case the clocks of its hosts differ;
 * it has one host. Fifteen timers of 10 ms one after another took 1005 ms each, and 25 ms with both timer settings.
 * The same setting for its visibility and outbound queues changed nothing that we measured.
 */
const DYNAMIC_CONFIG = {
  'system.enableActivityEagerExecution': 'true',
  'history.transferProcessorMaxPollRPS': '5000',
  'history.timerProcessorMaxPollRPS': '5000',
  'history.timerProcessorMaxTimeShift': '"20ms"',
} as const;

/** `NORMAL` survives the death of every process; a power cut may cost the last moments, never the file. */
const SQLITE_PRAGMAS = { journal_mode: 'WAL', synchronous: 'NORMAL' } as const;

export interface Launch {
  readonly binary: string;
  readonly database: string;
  readonly logFile: string;
  readonly ports: ServerPorts;
  readonly env: Environment;
}

export type LaunchEnd =
  | { readonly kind: 'started'; readonly child: ChildProcess; readonly pid: number }
  | { readonly kind: 'port_taken'; readonly reason: string };

/**
 * Starts the server in a session of its own, so that Ctrl-C in a terminal reaches us first and we end it in order.
 * It counts as started when it says so itself: another server may answer at the same port.
 */
export async function launchServer(launch: Launch): Promise<LaunchEnd> {
  const from = await rotateLog(launch.logFile);
  const log = await open(launch.logFile, 'a', 0o600);
  try {
    const child = spawn(launch.binary, serverArguments(launch), {
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
      env: withoutSecrets(launch.env),
      windowsHide: true,
    });
    return await waitForBanner(child, { logFile: launch.logFile, from });
  } finally {
    await log.close();
  }
}

function serverArguments({ database, ports }: Launch): readonly string[] {
  return [
    'server',
    'start-dev',
    `--ip=${LOOPBACK}`,
    `--ui-ip=${LOOPBACK}`,
    `--port=${ports.grpc}`,
    `--ui-port=${ports.ui}`,
    `--db-filename=${database}`,
    '--log-level=error',
    ...pairs('--sqlite-pragma', SQLITE_PRAGMAS),
    ...pairs('--dynamic-config-value', DYNAMIC_CONFIG),
    ...Object.entries(SEARCH_ATTRIBUTES).map(([name, type]) => `--search-attribute=${name}=${titleCase(type)}`),
  ];
}

function pairs(option: string, values: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(values).map(([key, value]) => `${option}=${key}=${value}`);
}

/** The server needs none of our keys, and whoever may look at its process should not find them there. */
function withoutSecrets(env: Environment): Record<string, string | undefined> {
  return Object.fromEntries(['PATH', 'HOME', 'TMPDIR', 'SystemRoot'].map((name) => [name, env[name]]));
}

function titleCase(type: string): string {
  return type.charAt(0) + type.slice(1).toLowerCase();
}

interface LogSpan {
  readonly logFile: string;
  /** Where this start's own words begin, in bytes. */
  readonly from: number;
}

async function waitForBanner(child: ChildProcess, span: LogSpan): Promise<LaunchEnd> {
  const ended = endOf(child);
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < deadline) {
    const end = await Promise.race([ended, sleep(POLL_MS, null)]);
    const said = await readFrom(span);
    if (end !== null) return explainEnd(end, said, span.logFile);
    if (child.pid !== undefined && /^Server:/m.test(said)) return { kind: 'started', child, pid: child.pid };
  }
  child.kill('SIGKILL');
  throw new ServerDidNotStart(`it was silent for ${START_TIMEOUT_MS / 1_000} s`, span.logFile);
}

function explainEnd(end: string, said: string, logFile: string): LaunchEnd {
  const reason = said.trim() === '' ? end : lastLine(said);
  if (said.includes('address already in use')) return { kind: 'port_taken', reason };
  throw new ServerDidNotStart(reason, logFile);
}

async function endOf(child: ChildProcess): Promise<string> {
  return await new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(`it ended at once with ${code ?? signal ?? 'no reason'}`));
  });
}

async function readFrom({ logFile, from }: LogSpan): Promise<string> {
  const file = await open(logFile, 'r');
  try {
    const { size } = await file.stat();
    const length = Math.min(Math.max(size - from, 0), 64 * 1_024);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, from);
    return buffer.subarray(0, bytesRead).toString('utf8');
  } finally {
    await file.close();
  }
}

/** Returns the size of the log as it is now. */
async function rotateLog(path: string): Promise<number> {
  const { size } = await stat(path).catch(() => ({ size: 0 }));
  if (size < LOG_BYTES_MAX) return size;
  await rename(path, `${path}.1`);
  return 0;
}
