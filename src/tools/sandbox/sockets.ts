import { lstat, readFile, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isWithin } from './system-mounts.ts';

/**
 * Unix sockets that somebody listens on in the workspace: a way out that no network namespace closes. They are found
 * by the names under which they were bound; relative names are tried from the root.
 */
export async function listeningSockets(root: string): Promise<readonly string[]> {
  const table = await readFile('/proc/net/unix', 'utf8').catch(() => '');
  const names = table.split('\n').flatMap((line) => /^\S+ \S+ \S+ \S+ \S+ \S+\s+\d+ (?!@)(.+)$/.exec(line)?.[1] ?? []);
  const found: string[] = [];
  for (const name of new Set(names)) {
    const path = await realPlace(name.startsWith('/') ? name : join(root, name));
    if (path !== undefined && isWithin(path, root) && (await isSocket(path))) found.push(path);
  }
  return [...new Set(found)];
}

/** Where a path leads, its last part as it is. */
async function realPlace(path: string): Promise<string | undefined> {
  const folder = await realpath(dirname(path)).catch(() => undefined);
  return folder === undefined ? undefined : join(folder, basename(path));
}

async function isSocket(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isSocket() === true;
}
