import { randomUUID } from 'node:crypto';
import { startWorker, type RunningWorker, type WorkerOptions } from '../src/worker.ts';
import { bundlePath, type Setting } from './setting.ts';

/** A worker in this process, on a queue of its own. It knows no environment but the one it is given. */
export async function startBenchWorker(
  { target, folder }: Setting,
  options: Pick<WorkerOptions, 'models' | 'tools'> & Partial<Pick<WorkerOptions, 'environment'>>,
): Promise<{ readonly taskQueue: string; readonly worker: RunningWorker }> {
  const taskQueue = `bench-${randomUUID()}`;
  const worker = await startWorker({ target, taskQueue, dataFolder: folder, bundlePath, environment: {}, ...options });
  return { taskQueue, worker };
}
