import { basename, dirname, join, resolve } from 'node:path';
import { mkdir, readlink } from 'node:fs/promises';
import { openAnchor, type Anchor, type Anchoring } from './anchor.ts';
import { ToolError } from '../tool.ts';
import { systemCode, type Attempt } from './system-error.ts';

/** Linux follows as many links in one path before it gives up (`MAXSYMLINKS`). */
const LINKS_MAX = 40;

/** What Linux takes (`PATH_MAX`); macOS takes less and says so itself. */
const PATH_BYTES_MAX = 4_096;

/** The workspace's root, as it was named and as it really is. */
export interface Root {
  readonly given: string;
  readonly real: string;
  readonly anchoring: Anchoring;
}

/** An entry of a folder that is held open. The entry was no link when it was looked at, or does not exist. */
export interface Place {
  readonly anchor: Anchor;
  readonly name: string;
  /** Real path from the root, `''` for the root itself. */
  readonly relative: string;
}

export interface Request {
  readonly root: Root;
  readonly path: string;
  readonly attempt: Attempt;
}

/** Finds the entry, through links as long as they stay inside. The caller closes the anchor. */
export async function locate(request: Request): Promise<Place> {
  let absolute = absolutePath(request);
  for (let links = 0; links <= LINKS_MAX; links += 1) {
    const isRoot = absolute === request.root.real;
    const anchor = await openInside(request, isRoot ? absolute : dirname(absolute));
    const name = isRoot ? '.' : basename(absolute);
    const target = isRoot ? undefined : await linkTarget(anchor, name);
    if (target === undefined)
      return { anchor, name, relative: relativeTo(request.root, isRoot ? anchor.path : join(anchor.path, name)) };
    await anchor.close();
    absolute = absolutePath({ ...request, path: resolve(anchor.path, target) });
  }
  throw new ToolError('path_not_in_workspace', `${request.attempt}: it leads through more than ${LINKS_MAX} links`);
}

/** Finds the entry itself, also when it is a link. The caller closes the anchor. */
export async function locateEntry(request: Request): Promise<Place> {
  const absolute = absolutePath(request);
  if (absolute === request.root.real) return await locate(request);
  const anchor = await openInside(request, dirname(absolute));
  const name = basename(absolute);
  return { anchor, name, relative: relativeTo(request.root, join(anchor.path, name)) };
}

/** Opens a folder by absolute path and makes sure that it really lies inside. The caller closes it. */
export async function openInside({ root, attempt }: Request, absolute: string): Promise<Anchor> {
  const anchor = await openAnchor(absolute, root.anchoring);
  if (isInside(root.real, anchor.path)) return anchor;
  await anchor.close();
  throw outside(attempt);
}

/** The real path from the root of an entry that need not exist, and whose folders need not either. */
export async function realRelative(request: Request): Promise<string> {
  const absolute = absolutePath(request);
  try {
    const place = await locate(request);
    await place.anchor.close();
    return place.relative;
  } catch (error) {
    if (systemCode(error) !== 'ENOENT' || absolute === request.root.real) throw error;
    const parent = await realRelative({ ...request, path: dirname(absolute) });
    return join(parent, basename(absolute));
  }
}

/** Creates the missing folders above the entry, each one inside a folder that is held. */
export async function makeParents(request: Request): Promise<void> {
  const folder = dirname(absolutePath(request));
  if (!isInside(request.root.real, folder)) return;
  await makeFolder(request, folder);
}

async function makeFolder(request: Request, folder: string): Promise<void> {
  const existing = await openInside(request, folder).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT' && folder !== request.root.real) return undefined;
    throw error;
  });
  if (existing !== undefined) return await existing.close();
  await makeFolder(request, dirname(folder));
  const parent = await openInside(request, dirname(folder));
  try {
    await parent.check();
    await mkdir(parent.at(basename(folder))).catch((error: unknown) => {
      if (systemCode(error) !== 'EEXIST') throw error;
    });
  } finally {
    await parent.close();
  }
}

/** An absolute path below the real root. `..` is resolved by text, so a path means what it says. */
export function absolutePath({ root, path, attempt }: Request): string {
  if (path.includes('\0')) throw new ToolError('invalid_params', `${attempt}: the path holds a NUL character`);
  if (Buffer.byteLength(path) >= PATH_BYTES_MAX)
    throw new ToolError('invalid_params', `${attempt}: the path is too long`);
  const absolute = resolve(root.real, path);
  if (isInside(root.real, absolute)) return absolute;
  // The root may have been named through a link, and models repeat the name they were told.
  if (isInside(root.given, absolute)) return join(root.real, absolute.slice(root.given.length));
  throw outside(attempt);
}

async function linkTarget(anchor: Anchor, name: string): Promise<string | undefined> {
  try {
    return await readlink(anchor.at(name));
  } catch (error) {
    const code = systemCode(error);
    // EINVAL says that the entry exists and is no link.
    if (code === 'EINVAL' || code === 'ENOENT') return undefined;
    await anchor.close();
    throw error;
  }
}

function isInside(root: string, absolute: string): boolean {
  return absolute === root || absolute.startsWith(root.endsWith('/') ? root : `${root}/`);
}

function relativeTo(root: Root, absolute: string): string {
  return absolute.slice(root.real.length).replace(/^\/+/, '').replace(/\/\.$/, '');
}

function outside(attempt: Attempt): ToolError {
  return new ToolError('path_not_in_workspace', `${attempt}: it is outside the workspace`);
}
