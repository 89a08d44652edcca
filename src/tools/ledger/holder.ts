import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';

/** Who holds a claim, told precisely enough that a later process under the same id is not mistaken for it. */
export interface Holder {
  /** Id of the incarnation of the worker. */
  readonly worker: string;
  readonly pid: number;
  /** When the process began, in clock ticks since boot (field 22 of `/proc/<pid>/stat`); empty without `/proc`. */
  readonly startTime: string;
  /** Changes with every boot of the machine; empty without `/proc`. */
  readonly bootId: string;
  readonly host: string;
}

/** `elsewhere` is another host, of whose processes nothing can be known from here. */
export type HolderLife = 'this process' | 'alive' | 'dead' | 'elsewhere';

/** This process, under the given worker id. */
export async function identifyHolder(worker: string): Promise<Holder> {
  const stat = await statOf(process.pid);
  return { worker, pid: process.pid, startTime: stat?.startTime ?? '', bootId: await bootId(), host: hostname() };
}

/** A stopped process is alive: it may go on where it was at any time. */
export async function lifeOf(holder: Holder): Promise<HolderLife> {
  if (holder.host !== hostname()) return 'elsewhere';
  if (holder.bootId !== (await bootId())) return 'dead';
  if (!existsSync('/proc/self/stat')) return lifeBySignal(holder.pid);
  const stat = await statOf(holder.pid);
  if (stat === undefined || stat.startTime !== holder.startTime || stat.isOver) return 'dead';
  return holder.pid === process.pid ? 'this process' : 'alive';
}

function lifeBySignal(pid: number): HolderLife {
  if (pid === process.pid) return 'this process';
  try {
    process.kill(pid, 0);
    return 'alive';
  } catch (error) {
    // EPERM says that it exists and belongs to somebody else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM' ? 'alive' : 'dead';
  }
}

async function statOf(pid: number): Promise<{ readonly startTime: string; readonly isOver: boolean } | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  // The second field is the program's name in brackets, and may itself hold spaces and brackets.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const state = fields[0] ?? '';
  return { startTime: fields[19] ?? '', isOver: state === 'Z' || state === 'X' };
}

async function bootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')).trim();
}
