import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compile } from '../tools/compiled.ts';
import type { WorkerOptions } from '../../src/worker.ts';

/** A worker as a process of its own, which can be killed as a real one is. */
export interface WorkerProcess {
  readonly pid: number;
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Ends it as nothing can prepare for. */
  readonly kill: () => Promise<void>;
  /** Throws, with what it said last, when it has ended by itself: nothing more can be waited for. */
  readonly expectAlive: () => void;
}

const CHILD = `
import { startWorker } from './worker.js';
import { tools } from './extra-tools.js';
const worker = await startWorker({ ...JSON.parse(process.argv[2]), tools, environment: process.env });
process.on('SIGTERM', () => void worker.shutdown());
process.send('ready');
process.on('disconnect', () => process.exit(0));
await worker.ended;
process.exit(0);
`;

const started = new Set<ChildProcess>();

/**
 * Compiles the worker once for a test file. The folder is inside the project, so that packages are found. `extraTools`
 * is a module beside the compiled worker that exports the `tools` which its processes have besides the built-in ones.
 */
export async function compileWorker(extraTools = 'export const tools = [];'): Promise<string> {
  const folder = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'nightshift', `worker-${process.pid}`);
  await compile(folder, ['worker.ts', 'workflows/index.ts']);
  await Promise.all([
    writeFile(join(folder, 'child.js'), CHILD),
    writeFile(join(folder, 'extra-tools.js'), extraTools),
  ]);
  return folder;
}

/** Starts a worker process and resolves when it polls. It ends with this process at the latest. */
export async function spawnWorker(folder: string, options: WorkerOptions): Promise<WorkerProcess> {
  const { environment: _, tools: __, ...plain } = options;
  const child = spawn(process.execPath, ['--no-warnings', join(folder, 'child.js'), JSON.stringify(plain)], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: { ...process.env, NODE_ENV: 'test' },
  });
  started.add(child);
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => (errors = (errors + chunk.toString()).slice(-4_000)));
  const ended = once(child, 'exit');
  const first = await Promise.race([once(child, 'message'), ended.then(() => null)]);
  if (first === null || child.pid === undefined) throw new Error(`The worker process ended at once: ${errors}`);
  return {
    pid: child.pid,
    signal: (signal) => void child.kill(signal),
    expectAlive() {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`The worker process ended with ${child.exitCode ?? child.signalCode}: ${errors}`);
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
      started.delete(child);
    },
  };
}

/** Ends what a test left running. */
export async function endWorkers(): Promise<void> {
  const exits = [...started]
    .filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
    .map(async (child) => {
      const exit = once(child, 'exit');
      child.kill('SIGCONT');
      child.kill('SIGKILL');
      await exit;
    });
  started.clear();
  await Promise.all(exits);
}
