import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';
import 'vitest';
import type { TestProject } from 'vitest/node';
import { readEnvironment } from '../src/config/environment.ts';
import { findFolders } from '../src/config/folders.ts';
import { startDevServer } from '../src/temporal/dev-server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** `host:port` of the one Temporal server that all tests share; use task queues and run ids of your own. */
    readonly temporalAddress: string;
    /** Path of the bundled workflow code; empty while there is none to bundle. */
    readonly workflowBundle: string;
  }
}

const WORKFLOWS = join(import.meta.dirname, '..', 'src', 'workflows', 'index.ts');

/** Starts one server and bundles the workflow code once, for all test files. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const env = readEnvironment();
  const folder = await mkdtemp(join(tmpdir(), 'nightshift-tests-'));
  const { cacheFolder } = findFolders(env);
  const server = await startDevServer({
    dataFolder: folder,
    cacheFolder,
    env,
    onProgress: console.error,
    ports: 'free',
  });
  const stop = async (): Promise<void> => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    provide('temporalAddress', server.address);
    provide('workflowBundle', await bundleWorkflows(folder));
  } catch (error) {
    await stop();
    throw error;
  }
  return stop;
}

async function bundleWorkflows(folder: string): Promise<string> {
  if (!existsSync(WORKFLOWS)) return '';
  const { code } = await bundleWorkflowCode({ workflowsPath: WORKFLOWS, logger: QUIET });
  const path = join(folder, 'workflow-bundle.js');
  await writeFile(path, code);
  return path;
}

const ignore = (): void => undefined;
const QUIET = { log: ignore, trace: ignore, debug: ignore, info: ignore, warn: console.warn, error: console.error };
