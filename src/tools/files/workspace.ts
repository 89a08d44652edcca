import { constants, realpathSync, statSync, type Dirent } from 'node:fs';
import { lstat, open, opendir, readlink, type FileHandle } from 'node:fs/promises';
import { resolve } from 'node:path';
import { availableAnchoring, type Anchor, type Anchoring } from './anchor.ts';
import { writeAtomically } from './atomic-write.ts';
import { quoted } from '../one-line.ts';
import { removeEntry, renameEntry } from './move-entry.ts';
import {
  absolutePath,
  locate,
  makeParents,
  openInside,
  realRelative,
  type Place,
  type Request,
  type Root,
} from './place.ts';
import { isProtected } from './protected-path.ts';
import { explained } from './system-error.ts';
import { ToolError } from '../tool.ts';

/** What is read into memory as a whole, for edits. */
export const WHOLE_FILE_BYTES_MAX = 16 * 1_024 * 1_024;

export type EntryKind = 'file' | 'folder' | 'link' | 'other';

export interface Entry {
  readonly name: string;
  readonly kind: EntryKind;
  /** Where a link points, as it is written in the link. */
  readonly target?: string;
}

export interface Listing {
  /** Sorted by name. */
  readonly entries: readonly Entry[];
  /** True when the folder holds more than was asked for. */
  readonly more: boolean;
}

/** A regular file, open for reading. Whoever opened it closes it. */
export interface OpenFile {
  readonly handle: FileHandle;
  readonly relative: string;
  readonly sizeBytes: number;
}

export interface Write {
  readonly text: string;
  /** Asked with the real path from the root, before anything changes. */
  readonly permits: (path: string) => boolean;
}

/**
 * The folder tools work in. No operation leaves it: paths are resolved through links, and what was checked is what
 * is used, also when someone exchanges folders for links meanwhile. Everything rejects with `ToolError`:
 * `path_not_in_workspace`, `file_not_found`, `file_write_failure`, `permission_denied`, `invalid_params`.
 */
export interface Workspace {
  /** Real absolute path. */
  readonly root: string;
  /** Real path from the root of an entry that need not exist; `''` for the root. */
  readonly relative: (path: string) => Promise<string>;
  readonly stat: (path: string) => Promise<{ readonly kind: EntryKind; readonly sizeBytes: number }>;
  readonly list: (path: string, entriesMax: number) => Promise<Listing>;
  readonly openFile: (path: string) => Promise<OpenFile>;
  /** Holds a folder open, for programs that start in it. Whoever opened it closes it. */
  readonly openFolder: (path: string) => Promise<Anchor>;
  /** A whole UTF-8 file; larger ones than 16 MiB and others than UTF-8 are refused. */
  readonly readText: (path: string) => Promise<string>;
  /** Writes a whole file and the folders above it; resolves to its real path from the root. */
  readonly writeText: (path: string, write: Write) => Promise<string>;
  /** Removes a file or a link, or a folder with all that is in it. A link's target stays. */
  readonly remove: (path: string, permits: Write['permits']) => Promise<void>;
  /** Gives an entry another place, and makes the folders above that. What is there already is never replaced. */
  readonly rename: (path: string, move: Move) => Promise<void>;
}

export interface Move {
  readonly to: string;
  readonly permits: Write['permits'];
}

/** Opens a workspace. Rejects with a system error when the folder does not exist. */
export async function openWorkspace(path: string, anchoring: Anchoring = availableAnchoring()): Promise<Workspace> {
  return await Promise.resolve(openNow(path, anchoring));
}

function openNow(path: string, anchoring: Anchoring): Workspace {
  const given = resolve(path);
  // At once: every call opens its workspace, and a turn of the thread pool costs ten times what the look itself does.
  const root: Root = { given, real: realpathSync.native(given), anchoring };
  if (!statSync(root.real).isDirectory()) throw new Error(`Cannot open the workspace "${path}": it is not a folder`);
  return {
    root: root.real,
    relative: async (at) => await attempt({ root, path: at, verb: 'resolve' }, realRelative),
    stat: async (at) => await attempt({ root, path: at, verb: 'read' }, statEntry),
    list: async (at, entriesMax) =>
      await attempt({ root, path: at, verb: 'list' }, async (request) => await list(request, entriesMax)),
    openFile: async (at) => await attempt({ root, path: at, verb: 'read' }, openFile),
    openFolder: async (at) =>
      await attempt(
        { root, path: at, verb: 'open' },
        async (request) => await openInside(request, absolutePath(request)),
      ),
    readText: async (at) => await attempt({ root, path: at, verb: 'read' }, readText),
    writeText: async (at, write) =>
      await attempt({ root, path: at, verb: 'write' }, async (request) => await writeText(request, write)),
    remove: async (at, permits) =>
      await attempt({ root, path: at, verb: 'remove' }, async (request) => {
        await removeEntry(request, (relative) => requireWritable(request, { relative, permits }));
      }),
    rename: async (at, { to, permits }) =>
      await attempt({ root, path: at, verb: 'rename' }, async (request) => {
        await renameEntry({ from: request, to: { ...request, path: to } }, (relative) =>
          requireWritable(request, { relative, permits }),
        );
      }),
  };
}

interface Wish {
  readonly root: Root;
  readonly path: string;
  readonly verb: string;
}

async function attempt<T>({ root, path, verb }: Wish, perform: (request: Request) => Promise<T>): Promise<T> {
  const request: Request = { root, path, attempt: `Cannot ${verb} ${quoted(path)}` };
  try {
    return await perform(request);
  } catch (error) {
    throw explained(error, request.attempt);
  }
}

async function withPlace<T>(request: Request, use: (place: Place) => Promise<T>): Promise<T> {
  const place = await locate(request);
  try {
    return await use(place);
  } finally {
    await place.anchor.close();
  }
}

async function statEntry(request: Request): Promise<{ kind: EntryKind; sizeBytes: number }> {
  return await withPlace(request, async ({ anchor, name }) => {
    const stats = await lstat(anchor.at(name));
    await anchor.check();
    return { kind: kindOf(stats), sizeBytes: stats.size };
  });
}

async function list(request: Request, entriesMax: number): Promise<Listing> {
  const anchor = await openInside(request, absolutePath(request));
  try {
    const found: Dirent[] = [];
    let more = false;
    for await (const entry of await opendir(anchor.self)) {
      more = found.length === entriesMax;
      if (more) break;
      found.push(entry);
    }
    found.sort((a, b) => (a.name < b.name ? -1 : 1));
    const entries = await Promise.all(found.map(async (entry) => await describe(anchor, entry)));
    await anchor.check();
    return { entries, more };
  } finally {
    await anchor.close();
  }
}

async function describe(anchor: Anchor, entry: Dirent): Promise<Entry> {
  const kind = kindOf(entry);
  if (kind !== 'link') return { name: entry.name, kind };
  return { name: entry.name, kind, target: await readlink(anchor.at(entry.name)).catch(() => '') };
}

function kindOf(entry: Pick<Dirent, 'isFile' | 'isDirectory' | 'isSymbolicLink'>): EntryKind {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  return entry.isSymbolicLink() ? 'link' : 'other';
}

async function openFile(request: Request): Promise<OpenFile> {
  return await withPlace(request, async ({ anchor, name, relative }) => {
    // Without O_NONBLOCK a named pipe would hold a thread of the worker until somebody writes into it.
    const handle = await open(anchor.at(name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stats = await handle.stat();
      if (stats.isDirectory()) throw new ToolError('invalid_params', `${request.attempt}: it is a folder`);
      if (!stats.isFile()) throw new ToolError('permission_denied', `${request.attempt}: it is not a regular file`);
      await anchor.check();
      return { handle, relative, sizeBytes: stats.size };
    } catch (error) {
      await handle.close();
      throw error;
    }
  });
}

async function readText(request: Request): Promise<string> {
  const { handle, sizeBytes } = await openFile(request);
  try {
    if (sizeBytes > WHOLE_FILE_BYTES_MAX)
      throw new ToolError('execution_failed', `${request.attempt}: it is larger than 16 MiB`);
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await handle.readFile());
  } catch (error) {
    if (error instanceof TypeError) throw new ToolError('execution_failed', `${request.attempt}: it is not UTF-8 text`);
    throw error;
  } finally {
    await handle.close();
  }
}

async function writeText(request: Request, write: Write): Promise<string> {
  // Asked before folders are made, and again for the very place that is held open.
  requireWritable(request, { relative: await realRelative(request), permits: write.permits });
  await makeParents(request);
  return await withPlace(request, async ({ anchor, name, relative }) => {
    requireWritable(request, { relative, permits: write.permits });
    await writeAtomically({ anchor, name, attempt: request.attempt }, write.text);
    return relative;
  });
}

function requireWritable(
  request: Request,
  { relative, permits }: { relative: string; permits: Write['permits'] },
): void {
  if (relative === '') throw new ToolError('invalid_params', `${request.attempt}: it is a folder`);
  if (isProtected(relative))
    throw new ToolError('permission_denied', `${request.attempt}: tools never write below .git and .nightshift`);
  if (!permits(relative))
    throw new ToolError(
      'permission_denied',
      `${request.attempt}: the policy allows this call, but not for ${quoted(relative)}`,
    );
}
