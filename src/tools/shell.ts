import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Readable } from 'node:stream';
import { canFindMarked, findMarked, killGroup, killMarked, type Marker } from './process-tree.ts';

/**
 * What a program may still print after the shell ended, in milliseconds: first while its own background processes
 * run, then while what is left in the pipe is read.
 */
const DRAIN_MS = 250;
const FLUSH_MS = 1_000;

/**
 * Starts the command with one real pipe for both outputs, so that they stay in order. (Node hands out sockets,
 * on which `echo x > /dev/stderr` fails.) Descriptors that the worker itself inherited are closed. The process that
 * copies does not carry the call's marker, so it survives the killing and delivers the last words.
 */
const BASH_LAUNCHER = [
  'for fd in /dev/fd/*; do fd=${fd##*/}; [ "$fd" -gt 2 ] 2>/dev/null && eval "exec $fd>&-"; done',
  'exec > >(unset NIGHTSHIFT_CALL; exec cat) 2>&1',
  'exec "$0" -c "$1"',
].join('\n');
const SH_LAUNCHER = 'exec "$0" -c "$1" 2>&1';

export interface ShellCommand {
  readonly command: string;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Carried by `environment`. */
  readonly marker: Marker;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Output is read no faster than this resolves. */
  readonly take: (chunk: Buffer) => Promise<void>;
}

export type ShellEnd =
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'killed'; readonly by: string }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'cancelled' };

/**
 * Runs a command and leaves nothing behind: on its end, on timeout and on cancel, all processes it started are
 * killed, also those that detached themselves. Rejects with a system error when the shell cannot be started.
 */
export async function runShell(shell: ShellCommand): Promise<ShellEnd> {
  shell.signal.throwIfAborted();
  const child = start(shell);
  const exited = exitOf(child);
  const read = readAll(child.stdout, shell.take);
  const interrupted = interruption(shell);
  try {
    const end = await Promise.race([exited, interrupted.promise]);
    if (end.kind === 'exit' || end.kind === 'killed') await within(read, DRAIN_MS);
    return end;
  } finally {
    interrupted.clear();
    await clear(child, { marker: shell.marker, read });
  }
}

function start({ command, cwd, environment }: ShellCommand): ChildProcess {
  const hasBash = existsSync('/bin/bash');
  const shell = hasBash ? '/bin/bash' : '/bin/sh';
  return spawn(shell, ['-c', hasBash ? BASH_LAUNCHER : SH_LAUNCHER, shell, command], {
    cwd,
    env: environment,
    // Its own session and process group, so that the group can be killed without the worker.
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

async function exitOf(child: ChildProcess): Promise<ShellEnd> {
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  return code === null ? { kind: 'killed', by: signal ?? 'a signal' } : { kind: 'exit', code };
}

interface Interruption {
  readonly promise: Promise<ShellEnd>;
  readonly clear: () => void;
}

function interruption({ signal, timeoutMs }: ShellCommand): Interruption {
  const { promise, resolve } = withResolvers<ShellEnd>();
  const cancel = (): void => resolve({ kind: 'cancelled' });
  const timer = setTimeout(() => resolve({ kind: 'timeout' }), timeoutMs);
  signal.addEventListener('abort', cancel);
  const clear = (): void => {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
  };
  return { promise, clear };
}

function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

async function readAll(output: Readable | null, take: ShellCommand['take']): Promise<void> {
  try {
    for await (const chunk of output ?? []) await take(chunk as Buffer);
  } catch {
    // The stream is destroyed when somebody who cannot be found keeps it open; what was read is the output.
  }
}

/** The marked processes go first, so that the pipe gets its end and what is still in it is read. */
async function clear(child: ChildProcess, { marker, read }: { marker: Marker; read: Promise<void> }): Promise<void> {
  if (canFindMarked()) {
    await killMarked(marker);
    await within(read, FLUSH_MS);
  }
  if (child.pid !== undefined) killGroup(child.pid);
  if ((await findMarked(marker)).length > 0) await killMarked(marker);
  child.stdout?.destroy();
  await read;
}

async function within(done: Promise<void>, limitMs: number): Promise<void> {
  const timer = new AbortController();
  const limit = sleep(limitMs, undefined, { signal: timer.signal }).catch(() => {});
  await Promise.race([done, limit]);
  timer.abort();
}
