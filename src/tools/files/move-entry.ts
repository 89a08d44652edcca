import { randomUUID } from 'node:crypto';
import { lstat, opendir, rename, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { locateEntry, makeParents, openInside, realRelative, type Place, type Request } from './place.ts';
import { quoted } from '../one-line.ts';
import { systemCode } from './system-error.ts';
import { ToolError } from '../tool.ts';

/** Throws when the real path from the root may not be changed. */
type Allow = (relative: string) => void;

/**
 * Removes an entry with all that is in it. A folder first gets a hidden name, so that whoever looks sees all of it or
 * nothing, also when the process dies here; then it is emptied folder by folder, each one held open.
 */
export async function removeEntry(request: Request, allow: Allow): Promise<void> {
  const place = await locateEntry(request);
  const { anchor, name } = place;
  try {
    allow(place.relative);
    const isFolder = (await lstat(anchor.at(name))).isDirectory();
    await anchor.check();
    if (!isFolder) return await unlink(anchor.at(name));
    const hidden = `.nightshift-${randomUUID()}.tmp`;
    await rename(anchor.at(name), anchor.at(hidden));
    await removeFolder(request, { ...place, name: hidden });
  } finally {
    await anchor.close();
  }
}

/** Moves an entry to a place where nothing is. */
export async function renameEntry(
  { from, to }: { readonly from: Request; readonly to: Request },
  allow: Allow,
): Promise<void> {
  const source = await locateEntry(from);
  try {
    allow(source.relative);
    await lstat(source.anchor.at(source.name));
    allow(await realRelative(to));
    if (`${to.path}/`.startsWith(`${from.path}/`))
      throw new ToolError('invalid_params', `${from.attempt}: it cannot be moved into itself`);
    await makeParents(to);
    const target = await locateEntry(to);
    try {
      allow(target.relative);
      if (await exists(target))
        throw new ToolError('invalid_params', `${from.attempt}: ${quoted(to.path)} exists already`);
      await Promise.all([source.anchor.check(), target.anchor.check()]);
      await rename(source.anchor.at(source.name), target.anchor.at(target.name));
    } finally {
      await target.anchor.close();
    }
  } finally {
    await source.anchor.close();
  }
}

async function removeFolder(request: Request, { anchor, name }: Pick<Place, 'anchor' | 'name'>): Promise<void> {
  const folder = await openInside(request, join(anchor.path, name));
  try {
    // A link that took the place of the folder leads to another path.
    if (folder.path !== join(anchor.path, name))
      throw new ToolError('path_not_in_workspace', `${request.attempt}: it changed meanwhile`);
    for await (const entry of await opendir(folder.self)) {
      if (entry.isDirectory()) await removeFolder(request, { anchor: folder, name: entry.name });
      else await unlink(folder.at(entry.name));
    }
  } finally {
    await folder.close();
  }
  await anchor.check();
  await rmdir(anchor.at(name));
}

async function exists({ anchor, name }: Place): Promise<boolean> {
  try {
    await lstat(anchor.at(name));
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
}
