import { lstat, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Makes `<root>/.nightshift/<names…>` and resolves to its path. What we keep beside a workspace lies there, hidden
 * from its git. Links on the way are refused, so that a tool cannot lead our own writing elsewhere.
 */
export async function makeNightshiftFolder(root: string, names: readonly string[]): Promise<string> {
  const top = join(root, '.nightshift');
  if (await makeFolder(top)) await writeFile(join(top, '.gitignore'), '*\n', { flag: 'a' });
  let folder = top;
  for (const name of names) {
    folder = join(folder, name);
    await makeFolder(folder);
  }
  return folder;
}

/** True when the folder is new. */
async function makeFolder(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  if ((await lstat(path)).isDirectory()) return false;
  throw new Error(`Cannot use "${path}": it is not a folder`);
}
