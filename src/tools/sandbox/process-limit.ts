import { existsSync, mkdirSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Where control groups that count processes are made: version 1, then version 2. */
const PLACES = ['/sys/fs/cgroup/pids', '/sys/fs/cgroup'];

const RELEASE_ROUNDS = 40;
const ROUND_MS = 5;

export interface ProcessLimit {
  /** A process joins by writing its id here. */
  readonly file: string;
  /** To be called when all of them are gone. */
  readonly release: () => Promise<void>;
}

let made = 0;

/**
 * A control group in which there is room for so many processes and threads. The kernel exempts root from the limit that
 * holds for other users, and a fork bomb grows faster than anyone can look. Undefined where such groups are not ours to
 * make; then only the watchdog looks.
 */
export function limitProcesses(processesMax: number): ProcessLimit | undefined {
  if (process.getuid?.() !== 0) return undefined;
  made += 1;
  for (const place of PLACES) {
    const folder = join(place, 'nightshift', `${process.pid}-${made}`);
    if (!existsSync(join(place, 'cgroup.procs')) || !prepare(folder, processesMax)) continue;
    return { file: join(folder, 'cgroup.procs'), release: async () => await release(folder) };
  }
  return undefined;
}

function prepare(folder: string, processesMax: number): boolean {
  const parent = join(folder, '..');
  try {
    if (!existsSync(parent)) mkdirSync(parent);
    if (made === 1) removeLeft(parent);
    // Version 2 wants to be asked for a controller; version 1 has no such file.
    if (existsSync(join(parent, 'cgroup.subtree_control')))
      writeFileSync(join(parent, 'cgroup.subtree_control'), '+pids');
    mkdirSync(folder);
    writeFileSync(join(folder, 'pids.max'), String(processesMax), { flag: 'r+' });
    return true;
  } catch {
    remove(folder);
    return false;
  }
}

/** Groups of workers that were killed. */
function removeLeft(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = /^(\d+)-\d+$/.exec(name)?.[1];
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) remove(join(parent, name));
  }
}

async function release(folder: string): Promise<void> {
  for (let round = 0; round < RELEASE_ROUNDS && !remove(folder); round += 1) await sleep(ROUND_MS);
}

/** False as long as a process is in it. */
function remove(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch {
    return !existsSync(folder);
  }
}
