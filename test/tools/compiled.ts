import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const project = join(import.meta.dirname, '..', '..');

/**
 * Compiles source files and what they import to JavaScript below `folder`, so that a plain node process can run
 * them. `entries` are relative to `src`.
 */
export async function compile(folder: string, entries: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  const config = {
    extends: join(project, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      noCheck: true,
      outDir: folder,
      rootDir: join(project, 'src'),
      typeRoots: [join(project, 'node_modules', '@types')],
    },
    include: [],
    files: entries.map((entry) => join(project, 'src', entry)),
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await promisify(execFile)(process.execPath, [
    join(project, 'node_modules', 'typescript', 'bin', 'tsc'),
    '-p',
    folder,
  ]);
}
