import { existsSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { setImmediate, setTimeout } from 'node:timers/promises';

/** Reading one environment takes some 10 µs, so between batches of so many the event loop gets its turn. */
const BATCH = 64;

/** A process that is killed is gone within milliseconds unless the kernel holds it. */
const KILL_MS_MAX = 5_000;
const ROUND_MS = 5;

/** A variable that processes carry in their environment, and hand down to all they start. */
export interface Marker {
  readonly name: string;
  readonly value: string;
}

/** Whether processes can be found by what they carry; it takes Linux's `/proc`. */
export function canFindMarked(): boolean {
  return existsSync('/proc/self/environ');
}

/** Ids of all living processes that carry the marker; none on systems without `/proc`. */
export async function findMarked({ name, value }: Marker): Promise<readonly number[]> {
  if (!canFindMarked()) return [];
  const marker = Buffer.from(`\0${name}=${value}\0`);
  const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry)).map(Number);
  const found: number[] = [];
  for (let from = 0; from < pids.length; from += BATCH) {
    found.push(
      ...pids.slice(from, from + BATCH).filter((pid) => pid !== process.pid && environmentOf(pid).includes(marker)),
    );
    await setImmediate();
  }
  return found;
}

/**
 * Kills all processes that carry the marker until a search finds none, also those that left their process group
 * or whose parents are gone. Resolves to the processes that could not be killed within 5 s. A program that both
 * leaves the group and clears its environment is not found: that takes a process namespace.
 */
export async function killMarked(marker: Marker): Promise<readonly number[]> {
  const deadline = performance.now() + KILL_MS_MAX;
  for (;;) {
    const found = await findMarked(marker);
    if (found.length === 0 || performance.now() > deadline) return found;
    for (const pid of found) kill(pid);
    await setTimeout(ROUND_MS);
  }
}

/** Kills a whole process group at once. */
export function killGroup(leader: number): void {
  kill(-leader);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself meanwhile, or belongs to another user and the next search finds it again.
  }
}

/** Framed by NULs, so that a marker at either end is found and a longer value is not mistaken for it. */
function environmentOf(pid: number): Buffer {
  try {
    return Buffer.concat([Buffer.of(0), readFileSync(`/proc/${pid}/environ`), Buffer.of(0)]);
  } catch {
    return Buffer.alloc(0);
  }
}
