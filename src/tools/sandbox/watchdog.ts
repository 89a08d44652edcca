import { readFileSync, readdirSync, statfsSync } from 'node:fs';
import { totalmem } from 'node:os';

const GIB = 1_024 ** 3;

/** How much of the machine one command may take. */
export interface Allowance {
  readonly processesMax: number;
  readonly threadsMax: number;
  readonly memoryBytesMax: number;
  /** The command is stopped when it fills the disk until less than this is free. */
  readonly diskBytesFreeMin: number;
}

export const DEFAULT_ALLOWANCE: Allowance = {
  processesMax: 512,
  threadsMax: 2_048,
  memoryBytesMax: Math.max(GIB, Math.min(8 * GIB, Math.floor(totalmem() * 0.6))),
  diskBytesFreeMin: GIB / 2,
};

/** Nothing is said against a command that used less than this of a disk that was full before. */
const DISK_BYTES_IGNORED = 64 * 1_024 * 1_024;

/** Processes are counted in every round; what takes reading a file of each, in one of twelve. */
const ROUND_MS = 20;
const ROUNDS_LIGHT = 12;
const PAGE_BYTES = 4_096;

export interface Watch {
  /** Id of the first process of the namespace, as seen from here. */
  readonly init: number;
  readonly root: string;
  readonly allowance: Allowance;
  readonly stop: (why: string) => void;
}

/**
 * Looks at a namespace until it is told to end, and stops what takes too much. Limits of the kernel would be better, but
 * root is exempt from that on processes, there is none on memory of several processes, and control groups are often
 * not ours to make. Reads without waiting, since in a flood of processes waiting may be long.
 */
export function startWatchdog({ init, root, allowance, stop }: Watch): () => void {
  const freeBefore = freeBytes(root);
  let round = 0;
  const timer = setInterval(() => {
    round += 1;
    const why = round % ROUNDS_LIGHT === 0 ? heavyExcess() : processExcess(processesOf(init), allowance);
    if (why === undefined) return;
    clearInterval(timer);
    stop(why);
  }, ROUND_MS);
  return () => clearInterval(timer);

  function heavyExcess(): string | undefined {
    const free = freeBytes(root);
    return excess(init, allowance) ?? diskExcess(freeBefore - free, free, allowance);
  }
}

function processesOf(init: number): readonly string[] {
  return namesIn(`/proc/${init}/root/proc`).filter((name) => /^\d+$/.test(name));
}

function processExcess(pids: readonly string[], { processesMax }: Allowance): string | undefined {
  return pids.length > processesMax ? `it started more than ${processesMax} processes` : undefined;
}

function excess(init: number, allowance: Allowance): string | undefined {
  const pids = processesOf(init);
  const tooMany = processExcess(pids, allowance);
  if (tooMany !== undefined) return tooMany;
  const { threadsMax, memoryBytesMax } = allowance;
  let threads = 0;
  let bytes = 0;
  for (const pid of pids) {
    const fields = statOf(`/proc/${init}/root/proc/${pid}/stat`);
    threads += Number(fields[17] ?? 0);
    bytes += Number(fields[21] ?? 0) * PAGE_BYTES;
  }
  if (threads > threadsMax) return `it started more than ${threadsMax} threads`;
  return bytes > memoryBytesMax ? `it used more than ${Math.round(memoryBytesMax / 2 ** 20)} MiB of memory` : undefined;
}

function diskExcess(used: number, free: number, { diskBytesFreeMin }: Allowance): string | undefined {
  const isFull = free < diskBytesFreeMin && used > DISK_BYTES_IGNORED;
  return isFull ? `it left less than ${Math.round(diskBytesFreeMin / 2 ** 20)} MiB of the disk free` : undefined;
}

function freeBytes(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    return Number.MAX_SAFE_INTEGER;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // It ended meanwhile.
    return [];
  }
}

/** The fields after the program's name, which may itself hold spaces and brackets. */
function statOf(path: string): readonly string[] {
  try {
    const text = readFileSync(path, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}
