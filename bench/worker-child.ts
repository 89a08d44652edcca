import { readEnvironment } from '../src/config/environment.ts';
import { startWorker, type WorkerOptions } from '../src/worker.ts';
import { readTool, unsafeTool } from './bench-tools.ts';
import { instantModel, modelsOf } from './instant-model.ts';
import { silenceWorkers } from './silence.ts';

/** What a worker process of the benchmark is told: everything but what cannot be sent. */
export interface ChildOptions extends Omit<WorkerOptions, 'models' | 'environment' | 'tools'> {
  readonly turns: number;
  readonly tool: string;
  readonly input: unknown;
}

silenceWorkers();
const { turns, tool, input, ...options } = JSON.parse(process.argv[2] ?? '') as ChildOptions;
const models = modelsOf(instantModel(turns, tool, { input }));
const worker = await startWorker({ ...options, models, environment: readEnvironment(), tools: [readTool, unsafeTool] });
process.on('SIGTERM', () => void worker.shutdown());
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
await worker.ended;
process.exit(0);
