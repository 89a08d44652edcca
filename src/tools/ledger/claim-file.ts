import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Holder } from './holder.ts';

/** What a write survives: a kill of the process, or a loss of power as well. */
export type Durability = 'process' | 'power';

export interface Claim {
  readonly holder: Holder;
  /** Milliseconds since 1970. */
  readonly since: number;
}

export interface Deposit {
  readonly path: string;
  readonly text: string;
  readonly durable: Durability;
}

/** Holder of a claim that cannot be read; no process has this id. */
const UNREADABLE_HOLDER: Holder = { worker: '', pid: 0, startTime: '', bootId: '', host: '' };

/**
 * Creates a file with its content in one step; false when it exists already. Of any number of processes that try,
 * exactly one gets true, and nobody ever sees the file without its content. The content is first written to `mark`,
 * which stays when the file is created and is removed when it is not.
 */
export async function createExclusively({ path, text, durable }: Deposit, mark: string): Promise<boolean> {
  writeMark(mark, text);
  if (durable === 'power') await sync(mark);
  const isCreated = await linkOrWrite(mark, { path, text, durable });
  if (!isCreated) removeMark(mark);
  return isCreated;
}

export function removeMark(mark: string): void {
  rmSync(mark, { force: true });
}

/**
 * Never written over: an old mark may be the same file as an old claim. At once, as all of these small writes: a turn of
 * the thread pool costs ten times what the write itself does, and every claimed call makes four.
 */
function writeMark(mark: string, text: string): void {
  try {
    writeFileSync(mark, text, { flag: 'wx' });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    rmSync(mark, { force: true });
    writeFileSync(mark, text, { flag: 'wx' });
  }
}

async function linkOrWrite(from: string, { path, text, durable }: Deposit): Promise<boolean> {
  try {
    linkSync(from, path);
    if (durable === 'power') await sync(dirname(path));
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(codeOf(error))) throw error;
    return createWithoutLink(path, text);
  }
}

/** Puts a file in place in one step, replacing what was there. */
export async function deposit({ path, text, durable }: Deposit): Promise<void> {
  renameSync(await writeTemporary({ path, text, durable }), path);
  if (durable === 'power') await sync(dirname(path));
}

/** Undefined when there is none. */
export async function readClaim(path: string): Promise<Claim | undefined> {
  const text = await readIfThere(path);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Claim;
  } catch {
    // Only file systems without hard links can leave a half-written claim.
    return { holder: UNREADABLE_HOLDER, since: (await stat(path)).mtimeMs };
  }
}

export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await Promise.resolve(readFileSync(path, 'utf8'));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function createWithoutLink(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function writeTemporary({ path, text, durable }: Deposit): Promise<string> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  writeFileSync(temporary, text, { flag: 'wx' });
  if (durable === 'power') await sync(temporary);
  return temporary;
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
