import { link, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { isAlive } from './process-identity.ts';

const serverLockSchema = z.object({
  /** The starter while `starting`, the server itself while `running`. */
  holder: z.object({ pid: z.int(), startedAt: z.string(), bootId: z.string() }),
  state: z.enum(['starting', 'running', 'released']),
  ports: z.object({ grpc: z.int(), ui: z.int() }),
  database: z.string(),
});

/** Who serves the database of a data folder, or is about to. */
export type ServerLock = z.infer<typeof serverLockSchema>;

/** A lock that is ours. `generation` counts every time the lock changed hands. */
export interface HeldLock {
  readonly folder: string;
  readonly generation: number;
}

export type Claim =
  | { readonly kind: 'held'; readonly lock: HeldLock }
  | { readonly kind: 'taken'; readonly by: ServerLock };

/**
 * Takes the lock of a data folder, or says who has it.
 *
 * A lock file is never taken over in place: two starters that see the same dead holder would both succeed, the second
 * by removing the fresh lock of the first. Instead each change of hands creates the file with the next number,
 * exclusively, so that only one can win. Older numbers are removed only by the holder of a newer one, and a starter
 * that was late sees the newer number after its own creation and steps back.
 */
export async function claimLock(folder: string, content: ServerLock): Promise<Claim> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (;;) {
    const newest = (await generations(folder)).at(-1) ?? 0;
    const current = await readGeneration(folder, newest);
    if (current !== null && (await isHeld(current))) return { kind: 'taken', by: current };

    const lock = { folder, generation: newest + 1 };
    if (!(await createExclusively(lock, content))) continue;
    const after = await generations(folder);
    if (after.at(-1) !== lock.generation) {
      await rm(pathOf(lock), { force: true });
      continue;
    }
    await Promise.all(after.slice(0, -1).map((generation) => rm(pathOf({ folder, generation }), { force: true })));
    return { kind: 'held', lock };
  }
}

/** The lock of whoever lives and holds it; null when nobody does. */
export async function readLock(folder: string): Promise<ServerLock | null> {
  const newest = (await generations(folder)).at(-1) ?? 0;
  const lock = await readGeneration(folder, newest);
  return lock !== null && (await isHeld(lock)) ? lock : null;
}

/** Replaces what our lock says, in one step. */
export async function updateLock(lock: HeldLock, content: ServerLock): Promise<void> {
  const aside = await writeAside(lock.folder, content);
  await rename(aside, pathOf(lock));
}

/** The file stays with its number, so that numbers only grow. */
export async function releaseLock(lock: HeldLock): Promise<void> {
  const content = await readGeneration(lock.folder, lock.generation);
  if (content !== null) await updateLock(lock, { ...content, state: 'released' });
}

async function isHeld(lock: ServerLock): Promise<boolean> {
  return lock.state !== 'released' && (await isAlive(lock.holder));
}

async function createExclusively(lock: HeldLock, content: ServerLock): Promise<boolean> {
  const aside = await writeAside(lock.folder, content);
  try {
    // A link appears with its whole content, so nobody ever reads half a lock.
    await link(aside, pathOf(lock));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(aside, { force: true });
  }
}

async function writeAside(folder: string, content: ServerLock): Promise<string> {
  const path = join(folder, `.temporal-lock.${randomUUID()}`);
  await writeFile(path, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flush: true });
  return path;
}

async function readGeneration(folder: string, generation: number): Promise<ServerLock | null> {
  const text = await readFile(pathOf({ folder, generation }), 'utf8').catch(() => null);
  if (text === null) return null;
  // A file that is not ours, or cut by a full disk, holds nothing: its holder cannot be told.
  return serverLockSchema.safeParse(parseJson(text)).data ?? null;
}

async function generations(folder: string): Promise<readonly number[]> {
  const names = await readdir(folder).catch(() => []);
  const numbers = names.map((name) => Number(/^temporal-lock\.(\d{1,15})\.json$/.exec(name)?.[1] ?? Number.NaN));
  return numbers.filter((number) => !Number.isNaN(number)).toSorted((a, b) => a - b);
}

function pathOf({ folder, generation }: HeldLock): string {
  return join(folder, `temporal-lock.${generation}.json`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
