import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { compile } from '../compiled.ts';
import { temporaryFolder } from '../situation.ts';

/** Runs one confined command, and tells what it prints. */
const WORKER = `
import { createSandbox } from './tools/sandbox/sandbox.js';
const [root, command] = process.argv.slice(2);
const sandbox = createSandbox({ environment: { PATH: process.env.PATH } });
await sandbox.problem(root);
await sandbox.run({
  command, cwd: root, environment: { PATH: process.env.PATH }, marker: { name: 'NIGHTSHIFT_CALL', value: 'dying' },
  timeoutMs: 60_000, signal: new AbortController().signal, take: async (chunk) => void process.stdout.write(chunk),
});
`;

/** A worker process that runs a command in a workspace; resolves with what kills it, once the command has printed. */
export async function startWorkerThatDies(root: string, command: string): Promise<() => Promise<void>> {
  const folder = await temporaryFolder();
  await compile(folder, ['tools/sandbox/sandbox.ts']);
  await symlink(join(import.meta.dirname, '..', '..', '..', 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'worker.js'), WORKER);
  const worker = spawn(process.execPath, [join(folder, 'worker.js'), root, command], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void worker.kill('SIGKILL'));
  await once(worker.stdout, 'data');
  return async () => {
    const ended = once(worker, 'exit');
    worker.kill('SIGKILL');
    await ended;
  };
}
