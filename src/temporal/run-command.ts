import { spawn, type ChildProcess } from 'node:child_process';
import type { Environment } from '../config/environment.ts';

/** Output kept of a command, in characters; what matters of a failure stands at its end. */
const OUTPUT_CHARACTERS_MAX = 64_000;

/** How often a command is looked at, in milliseconds. */
const POLL_MS = 200;

export interface Command {
  readonly file: string;
  readonly arguments: readonly string[];
  readonly env: Environment;
  readonly timeoutMs: number;
  /** Ends the command early, as a success, once it returns true. */
  readonly until?: () => boolean;
  /** Called about five times a second with the milliseconds since the start. */
  readonly onTick?: (elapsedMs: number) => void;
}

export type CommandEnd =
  | { readonly kind: 'exited'; readonly code: number | null; readonly output: string }
  | { readonly kind: 'enough' }
  | { readonly kind: 'timed_out'; readonly output: string }
  | { readonly kind: 'not_started'; readonly reason: string };

/** Runs a command to its end, its time limit or its purpose, whichever comes first. Never throws. */
export async function runCommand(command: Command): Promise<CommandEnd> {
  const child = spawn(command.file, command.arguments, {
    env: { ...command.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
  const output = collectOutput(child);
  return await new Promise<CommandEnd>((resolve) => {
    const stopWatching = watch(child, command, (end) => {
      resolve(end === 'enough' ? { kind: 'enough' } : { kind: 'timed_out', output: output() });
    });
    child.once('error', (error) => {
      stopWatching();
      resolve({ kind: 'not_started', reason: error.message });
    });
    child.once('close', (code) => {
      stopWatching();
      resolve({ kind: 'exited', code, output: output() });
    });
  });
}

/** The last line that says something, for a reason in one line. */
export function lastLine(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  return (lines.at(-1) ?? 'no output').trim().slice(0, 400);
}

function collectOutput(child: ChildProcess): () => string {
  let text = '';
  const take = (chunk: Buffer): void => {
    text = (text + chunk.toString('utf8')).slice(-OUTPUT_CHARACTERS_MAX);
  };
  child.stdout?.on('data', take);
  child.stderr?.on('data', take);
  return () => text;
}

function watch(child: ChildProcess, command: Command, onEnd: (end: 'enough' | 'timed_out') => void): () => void {
  const startedAt = performance.now();
  const timer = setInterval(() => {
    const elapsedMs = performance.now() - startedAt;
    command.onTick?.(elapsedMs);
    const end = command.until?.() === true ? 'enough' : elapsedMs > command.timeoutMs ? 'timed_out' : null;
    if (end === null) return;
    clearInterval(timer);
    child.kill('SIGKILL');
    onEnd(end);
  }, POLL_MS);
  return () => clearInterval(timer);
}
