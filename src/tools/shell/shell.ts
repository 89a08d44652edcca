import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Readable } from 'node:stream';
import { canFindMarked, killGroup, killMarked, type Marker } from './process-tree.ts';

/**
 * What a program may still print after the shell ended, in milliseconds: first while its own background processes
 * run, then while what is left in the pipe is read.
 */
const DRAIN_MS = 250;
const FLUSH_MS = 1_000;

/**
 * Gives the command one real pipe for both outputs, so that they stay in order. (Node hands out sockets, on which
 * `echo x > /dev/stderr` fails.) Descriptors that the worker itself inherited are closed. The process that copies does
 * not carry the call's marker, so it survives the killing and delivers the last words.
 */
const CLOSE_INHERITED = 'for fd in /dev/fd/*; do fd=${fd##*/}; [ "$fd" -gt 2 ] 2>/dev/null && eval "exec $fd>&-"; done';
const COPY = 'unset NIGHTSHIFT_CALL; exec cat 3>&- 4>&- 5>&-';
const MIXED = `exec > >(${COPY}) 2>&1`;
const APART = `exec 2> >(${COPY} >&2) > >(${COPY})`;

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
  /** What the command finds on its standard input; nothing when left out. */
  readonly input?: string;
  /** Takes the error output apart from the rest, where it is not to be mixed in. */
  readonly takeErrors?: (chunk: Buffer) => Promise<void>;
}

export type ShellEnd =
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'killed'; readonly by: string }
  /** We ended it, because it took more of the machine than a command may. */
  | { readonly kind: 'stopped'; readonly why: string }
  /** The sandbox could not be made, so the command was not started; what was printed says why. */
  | { readonly kind: 'unconfined' }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'cancelled' };

/** A command in the first moment of its life. */
export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<ShellEnd>;
  /** Kills all that it started. */
  readonly kill: () => Promise<void>;
}

/**
 * Runs a command and leaves nothing behind: on its end, on timeout and on cancel, all processes it started are
 * killed, also those that detached themselves. Rejects with a system error when the shell cannot be started.
 */
export async function runShell(
  shell: ShellCommand,
  start: (shell: ShellCommand) => Started = startUnconfined,
): Promise<ShellEnd> {
  shell.signal.throwIfAborted();
  const started = start(shell);
  const { child } = started;
  const read = readAll(child, shell);
  const interrupted = interruption(shell);
  feed(child, shell.input);
  try {
    const end = await Promise.race([started.ended, interrupted.promise]);
    if (end.kind === 'exit' || end.kind === 'killed') await within(read, DRAIN_MS);
    return end;
  } finally {
    interrupted.clear();
    await clear(started, read);
  }
}

/**
 * The shell that launches and runs commands, and whether it is bash. Bash takes the socket that Node gives it as standard
 * input for a caller over the network and then reads `~/.bashrc`, which is not for commands: `runs` says not to.
 */
export function findShell(): { readonly shell: string; readonly isBash: boolean; readonly runs: readonly string[] } {
  const isBash = existsSync('/bin/bash');
  return { shell: isBash ? '/bin/bash' : '/bin/sh', isBash, runs: isBash ? ['--norc', '-c'] : ['-c'] };
}

/** What the launching shell does with the outputs before the command starts. */
export function outputsOf({ takeErrors }: ShellCommand, isBash: boolean): string {
  if (!isBash) return takeErrors === undefined ? 'exec 2>&1' : '';
  return takeErrors === undefined ? MIXED : APART;
}

/** How a shell is spawned: with its own session and group, so that the group can be killed without the worker. */
export function spawnOptions({ cwd, environment, input, takeErrors }: ShellCommand): SpawnOptions {
  const stdio: ('ignore' | 'pipe')[] = [
    input === undefined ? 'ignore' : 'pipe',
    'pipe',
    takeErrors === undefined ? 'ignore' : 'pipe',
  ];
  return { cwd, env: environment, detached: true, stdio };
}

function startUnconfined(shell: ShellCommand): Started {
  const { shell: program, isBash, runs } = findShell();
  const command = `exec "$0" ${runs.join(' ')} "$1"`;
  const launcher = [isBash ? CLOSE_INHERITED : '', outputsOf(shell, isBash), command].join('\n');
  const child = spawn(program, [...runs, launcher, program, shell.command], spawnOptions(shell));
  return {
    child,
    ended: exitOf(child),
    async kill() {
      if (canFindMarked()) await killMarked(shell.marker);
    },
  };
}

function feed({ stdin }: ChildProcess, input: string | undefined): void {
  // A command may end without having read its input.
  stdin?.on('error', () => {});
  if (input !== undefined) stdin?.end(input);
}

/** Rejects with a system error when the program does not start. */
export async function exitOf(child: ChildProcess): Promise<ShellEnd> {
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

async function readAll({ stdout, stderr }: ChildProcess, { take, takeErrors }: ShellCommand): Promise<void> {
  await Promise.all([readStream(stdout, take), takeErrors === undefined ? undefined : readStream(stderr, takeErrors)]);
}

async function readStream(output: Readable | null, take: ShellCommand['take']): Promise<void> {
  try {
    for await (const chunk of output ?? []) await take(chunk as Buffer);
  } catch {
    // The stream is destroyed when somebody who cannot be found keeps it open; what was read is the output.
  }
}

/** The processes of the call go first, so that the pipe gets its end and what is still in it is read. */
async function clear({ child, kill }: Started, read: Promise<void>): Promise<void> {
  await kill();
  await within(read, FLUSH_MS);
  if (child.pid !== undefined) killGroup(child.pid);
  await kill();
  child.stdout?.destroy();
  child.stderr?.destroy();
  await read;
}

export async function within(done: Promise<unknown>, limitMs: number): Promise<void> {
  const timer = new AbortController();
  const limit = sleep(limitMs, undefined, { signal: timer.signal }).catch(() => {});
  await Promise.race([done, limit]);
  timer.abort();
}
