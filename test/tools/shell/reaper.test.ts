import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { writeFile } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { findMarked, killMarked } from '../../../src/tools/shell/process-tree.ts';
import { startReaper } from '../../../src/tools/shell/reaper.ts';
import { compile } from '../compiled.ts';
import { temporaryFolder, until } from '../situation.ts';

/** A worker that starts a reaper and then processes that hide in all ways. */
const WORKER = `
import { spawn } from 'node:child_process';
import { startReaper } from './tools/shell/reaper.js';
const [worker] = process.argv.slice(2);
const { pid } = startReaper(worker);
const env = { PATH: process.env.PATH, NIGHTSHIFT_WORKER: worker };
const command = 'sleep 1000 & setsid sleep 1000 & (setsid bash -c "sleep 1000 & sleep 1000 &" &) ; sleep 1000';
spawn('/bin/bash', ['-c', command], { env, detached: true, stdio: 'ignore' });
console.log(pid);
setInterval(() => {}, 1000);
`;

test.runIf(process.platform === 'linux')(
  'whatever kills a worker, all it started is gone soon after, and so is the reaper',
  async () => {
    const folder = await temporaryFolder();
    await compile(folder, ['tools/shell/reaper.ts']);
    await writeFile(join(folder, 'worker.js'), WORKER);
    const id = `worker-${randomUUID()}`;
    const marker = { name: 'NIGHTSHIFT_WORKER', value: id };
    onTestFinished(async () => void (await killMarked(marker)));
    const worker = spawn(process.execPath, [join(folder, 'worker.js'), id], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(worker.stdout, 'data')) as [Buffer];
    const reaper = Number(line.toString());
    await until('all are started', async () => (await findMarked(marker)).length >= 5);
    worker.kill('SIGKILL');
    await until('all are gone', async () => (await findMarked(marker)).length === 0, 2_000);
    await until('the reaper is gone', () => !isThere(reaper));
  },
);

test.runIf(process.platform === 'linux')('a reaper that is closed cleans up at once and spares others', async () => {
  const [mine, other] = [randomUUID(), randomUUID()];
  const reaper = startReaper(mine);
  const start = (worker: string): void =>
    void spawn('sleep', ['1000'], { env: { PATH: process.env['PATH'], NIGHTSHIFT_WORKER: worker }, stdio: 'ignore' });
  start(mine);
  start(other);
  onTestFinished(async () => void (await killMarked({ name: 'NIGHTSHIFT_WORKER', value: other })));
  const count = async (worker: string): Promise<number> =>
    (await findMarked({ name: 'NIGHTSHIFT_WORKER', value: worker })).length;
  await until('both run', async () => (await count(mine)) + (await count(other)) === 2);
  await reaper.close();
  expect([await count(mine), await count(other)]).toEqual([0, 1]);
});

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
