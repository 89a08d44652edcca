import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT, runCommand, seconds } from './run-command.mjs';
import { setup } from './setup.mjs';
import { hashOf, readStamp } from './stamp.mjs';

const DIST = join(ROOT, 'dist');
const STAMP = join(DIST, '.stamp');
const SOURCES = ['src', 'scripts/build.mjs', 'tsconfig.json', 'tsconfig.build.json', 'package-lock.json'];

/**
 * Builds `dist` when the sources changed. It is built aside and put in place by renaming, so that a program that runs
 * from `dist`, and a build that dies halfway, leave a whole one.
 */
export async function build() {
  const hash = await hashOf(SOURCES);
  if ((await readStamp(STAMP)) === hash) return;
  const startedAt = performance.now();
  console.error('Building');
  const work = join(ROOT, 'node_modules', '.cache', 'nightshift', `build-${process.pid}`);
  await mkdir(work, { recursive: true });
  try {
    const fresh = join(work, 'dist');
    const code = await runCommand(process.execPath, [TSC, '-p', 'tsconfig.build.json', '--outDir', fresh]);
    if (code !== 0) process.exit(code);
    await bundleWorkflows(join(fresh, 'workflow-bundle.js'));
    await writeFile(join(fresh, '.stamp'), hash);
    if (existsSync(DIST)) await rename(DIST, join(work, 'old'));
    await rename(fresh, DIST);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  console.error(`Built in ${seconds(startedAt)}`);
}

export const TSC = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');

async function bundleWorkflows(path) {
  const workflowsPath = join(ROOT, 'src', 'workflows', 'index.ts');
  if (!existsSync(workflowsPath)) return;
  const { bundleWorkflowCode } = await import('@temporalio/worker');
  const ignore = () => undefined;
  const logger = { log: ignore, trace: ignore, debug: ignore, info: ignore, warn: console.warn, error: console.error };
  const { code } = await bundleWorkflowCode({ workflowsPath, logger });
  await writeFile(path, code);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await setup();
  await build();
}
