import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { Settings } from '../../config/settings.ts';
import { isAlive } from '../../temporal/process-identity.ts';

const recordSchema = z.object({
  /** The supervisor. */
  process: z.object({ pid: z.int(), startedAt: z.string(), bootId: z.string() }),
  state: z.enum(['starting', 'ready', 'stopping']),
  address: z.string(),
  namespace: z.string(),
  /** Of the Temporal UI, where it is known. */
  uiUrl: z.string().nullable(),
  taskQueue: z.string(),
  /** Of the code that runs. */
  build: z.string(),
  /** Tells two model keys apart without naming them; `none` without a key. */
  modelAccess: z.string(),
  startedBy: z.string(),
  startedAt: z.number(),
  /** True when no terminal belongs to it. */
  background: z.boolean(),
  logPath: z.string().nullable(),
  /** Milliseconds without an open run after which it ends itself; 0 for never. */
  idleStopMs: z.number(),
});

/** What `nightshift up` writes down about itself, so that other commands find it. */
export type ServicesRecord = z.infer<typeof recordSchema>;

/** The services that live in this data folder, or null. */
export async function readServices(dataFolder: string): Promise<ServicesRecord | null> {
  const text = await readFile(pathOf(dataFolder), 'utf8').catch(() => null);
  const record = text === null ? null : (recordSchema.safeParse(parseJson(text)).data ?? null);
  return record !== null && (await isAlive(record.process)) ? record : null;
}

/** Replaces the record in one step; readers see the old one or the new one. */
export async function writeServices(dataFolder: string, record: ServicesRecord): Promise<void> {
  await mkdir(dataFolder, { recursive: true, mode: 0o700 });
  const aside = join(dataFolder, `.services.${randomUUID()}`);
  await writeFile(aside, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
  await rename(aside, pathOf(dataFolder));
}

export async function removeServices(dataFolder: string): Promise<void> {
  await rm(pathOf(dataFolder), { force: true });
}

/** The key cannot be got back from so few digits of its hash. */
export function modelAccessMark({ apiKey, baseURL }: Settings['anthropic']): string {
  if (apiKey === undefined) return 'none';
  return createHash('sha256')
    .update(`${apiKey}\0${baseURL ?? ''}`)
    .digest('hex')
    .slice(0, 8);
}

function pathOf(dataFolder: string): string {
  return join(dataFolder, 'services.json');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
