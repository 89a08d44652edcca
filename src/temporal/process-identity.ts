import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/**
 * One process, told apart from a later one that got the same id. `startedAt` is what the system says about its
 * start (clock ticks since boot on Linux, a date elsewhere); `bootId` is empty where the system has none.
 */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startedAt: string;
  readonly bootId: string;
}

/** Null when no such process lives. */
export async function identify(pid: number): Promise<ProcessIdentity | null> {
  const startedAt = process.platform === 'linux' ? await startOnLinux(pid) : await startByPs(pid);
  return startedAt === null ? null : { pid, startedAt, bootId: await readBootId() };
}

/** True when exactly this process still lives, not merely its id. */
export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  const now = await identify(identity.pid);
  return now !== null && now.startedAt === identity.startedAt && now.bootId === identity.bootId;
}

/** Field 22 of `/proc/<pid>/stat`; the second field is a name that may hold anything, so counting begins behind it. */
async function startOnLinux(pid: number): Promise<string | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (stat === null) return null;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const state = fields[0];
  // A zombie keeps its id until its parent looks, but serves nobody.
  return state === 'Z' || state === 'X' ? null : (fields[19] ?? null);
}

async function startByPs(pid: number): Promise<string | null> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)]).catch(() => ({
    stdout: '',
  }));
  return stdout.trim() === '' ? null : stdout.trim();
}

async function readBootId(): Promise<string> {
  return await readFile('/proc/sys/kernel/random/boot_id', 'utf8').then(
    (text) => text.trim(),
    () => '',
  );
}
