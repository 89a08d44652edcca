import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** What lies beside a workspace for people and agents to look at, and nobody needs for ever. */
const KEPT = ['output', 'quarantine'] as const;

/**
 * Removes outputs and quarantined files that are older. Resolves to how many. What is a link is removed as a link, and
 * a folder that is missing holds nothing.
 */
export async function pruneKept(root: string, olderThanMs: number): Promise<number> {
  const counts = await Promise.all(KEPT.map(async (name) => await pruneFolder(root, { name, olderThanMs })));
  return counts.reduce((sum, count) => sum + count, 0);
}

async function pruneFolder(
  root: string,
  { name, olderThanMs }: { readonly name: string; readonly olderThanMs: number },
): Promise<number> {
  const folder = join(root, '.nightshift', name);
  const isOurs = await lstat(folder).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (!isOurs) return 0;
  let removed = 0;
  for (const entry of await readdir(folder)) {
    const { mtimeMs } = await lstat(join(folder, entry));
    if (Date.now() - mtimeMs < olderThanMs) continue;
    await rm(join(folder, entry), { recursive: true, force: true });
    removed += 1;
  }
  return removed;
}
