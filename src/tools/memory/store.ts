import { mkdir } from 'node:fs/promises';
import { quoted } from '../one-line.ts';
import { ToolError } from '../tool.ts';
import { openWorkspace, type Workspace } from '../files/workspace.ts';

const FILE_BYTES_MAX = 100 * 1_024;
const FILES_MAX = 1_000;
const TOTAL_BYTES_MAX = 10 * 1_024 * 1_024;

/** Folders and links count, too, so that looking at the memory stays quick. */
const ENTRIES_MAX = 2 * FILES_MAX;

const ROOT = '/memories';

export interface Stored {
  /** From the memory's folder. */
  readonly path: string;
  readonly kind: 'file' | 'folder';
  /** Of a folder: all that is in it. */
  readonly sizeBytes: number;
}

/** Opens the folder of a memory, which is made when it does not exist. */
export async function openStore(folder: string): Promise<Workspace> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return await openWorkspace(folder);
}

/** The path within the folder of what the model calls `/memories/…`; `.` for the folder itself. */
export function storePath(path: string): string {
  const refuse = (reason: string): ToolError =>
    new ToolError('invalid_params', `Cannot use ${quoted(path)}: ${reason}`);
  if (/[\p{Cc}\p{Cf}]/u.test(path)) throw refuse('the path holds hidden characters');
  if (path !== ROOT && !path.startsWith(`${ROOT}/`)) throw refuse(`memories lie below ${ROOT}`);
  const names = path
    .slice(ROOT.length)
    .split('/')
    .filter((name) => name !== '');
  if (names.some((name) => name === '.' || name === '..')) throw refuse('"." and ".." are no names of memories');
  return names.join('/') || '.';
}

/** All files and folders below a folder, sorted by path; what is neither is left out. */
export async function entriesOf(store: Workspace, folder = '.'): Promise<readonly Stored[]> {
  const { entries } = await store.list(folder, ENTRIES_MAX);
  const nested = await Promise.all(
    entries.map(async ({ name, kind }): Promise<readonly Stored[]> => {
      const path = folder === '.' ? name : `${folder}/${name}`;
      if (kind === 'file') return [{ path, kind, sizeBytes: (await store.stat(path)).sizeBytes }];
      if (kind !== 'folder') return [];
      const inside = await entriesOf(store, path);
      return [{ path, kind, sizeBytes: sum(inside.filter((entry) => entry.kind === 'file')) }, ...inside];
    }),
  );
  return nested.flat();
}

/** Refuses a text that would make the memory too large. */
export async function requireRoom(store: Workspace, path: string, text: string): Promise<void> {
  const refuse = (reason: string): ToolError =>
    new ToolError('invalid_params', `Cannot write ${quoted(`${ROOT}/${path}`)}: ${reason}`);
  const bytes = Buffer.byteLength(text);
  if (bytes > FILE_BYTES_MAX) throw refuse('a file of memory holds at most 100 KB; split it or leave out what is old');
  const entries = await entriesOf(store);
  const files = entries.filter((entry) => entry.kind === 'file' && entry.path !== path);
  if (files.length >= FILES_MAX) throw refuse(`the memory holds ${FILES_MAX} files already; delete some`);
  if (entries.length >= ENTRIES_MAX) throw refuse('the memory holds too many folders; delete some');
  if (sum(files) + bytes > TOTAL_BYTES_MAX) throw refuse('the memory holds 10 MB already; delete some files');
}

function sum(entries: readonly Stored[]): number {
  return entries.reduce((total, { sizeBytes }) => total + sizeBytes, 0);
}
