import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from './run-command.mjs';

/** One hash over the names and contents of all files in these folders, and of these files. */
export async function hashOf(paths) {
  const files = (await Promise.all(paths.map(async (path) => await filesIn(path))))
    .flat()
    .toSorted((a, b) => (a < b ? -1 : 1));
  const contents = await Promise.all(files.map(async (path) => await readFile(join(ROOT, path))));
  const hash = createHash('sha256');
  for (const [index, path] of files.entries())
    hash.update(`${path}\0${contents[index].length}\0`).update(contents[index]);
  return hash.digest('hex');
}

/** What a stamp says, or null. */
export async function readStamp(path) {
  return await readFile(path, 'utf8').then(
    (text) => text.trim(),
    () => null,
  );
}

async function filesIn(path) {
  const stats = await stat(join(ROOT, path)).catch(() => null);
  if (stats === null) return [];
  if (stats.isFile()) return [path];
  const entries = await readdir(join(ROOT, path), { withFileTypes: true });
  return (await Promise.all(entries.map(async ({ name }) => await filesIn(`${path}/${name}`)))).flat();
}
