import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { ChildOptions } from './worker-child.ts';

/** A worker as a process of its own, so that it can be killed and its memory and CPU time be read. */
export interface Child {
  readonly process: ChildProcess;
  readonly pid: number;
  readonly ready: Promise<void>;
  readonly end: (signal: 'SIGKILL' | 'SIGTERM') => Promise<void>;
}

export function startChild(options: ChildOptions): Child {
  const program = join(import.meta.dirname, `worker-child${extname(import.meta.filename)}`);
  const child = spawn(process.execPath, [program, JSON.stringify(options)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  const ready = Promise.race([
    once(child, 'message'),
    exited.then(() => Promise.reject(new Error('The worker ended at once'))),
  ]);
  return {
    process: child,
    pid: child.pid ?? 0,
    ready: ready.then(() => undefined),
    async end(signal) {
      child.kill(signal);
      await exited;
    },
  };
}

/** Resident memory of a process in megabytes, from `/proc` (Linux only). */
export function residentMegabytes(pid: number): number {
  const line = readFileSync(`/proc/${pid}/status`, 'utf8').match(/^VmRSS:\s+(\d+) kB/mu);
  return Number(line?.[1] ?? 0) / 1_024;
}

/** CPU seconds a process has used, in user and system mode; `/proc` counts in hundredths. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
