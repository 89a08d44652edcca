import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { access, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Effect } from '../../../src/contract/tool-calls.ts';
import { callKey } from '../../../src/tools/ledger/ledger.ts';
import { findMarked, killMarked } from '../../../src/tools/shell/process-tree.ts';
import { compile } from '../compiled.ts';
import { bench, type Bench } from './ledger-bench.ts';
import { until } from '../situation.ts';

const folder = join(tmpdir(), `nightshift-ledger-${process.pid}-${Date.now()}`);

/**
 * A worker that performs one call: notes that it began, waits for the file `go`, notes that it ended. It prints
 * what `once` resolves to.
 */
const WORKER = `
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { openLedger, identifyHolder, callKey } from './tools/ledger/ledger.js';
const [root, run, call, effect, name] = process.argv.slice(2);
const ledger = await openLedger(root);
const holder = await identifyHolder(name);
writeFileSync(root + '/ready-' + name, '');
while (!existsSync(root + '/start')) await setTimeout(1);
const kept = await ledger.once({ run, call, effect, holder }, async () => {
  spawn('sleep', ['1000'], { env: { PATH: process.env.PATH, NIGHTSHIFT_CALL: callKey(run, call) }, detached: true, stdio: 'ignore' }).unref();
  appendFileSync(root + '/effects', 'begin ' + name + '\\n');
  while (!existsSync(root + '/go')) await setTimeout(5);
  appendFileSync(root + '/effects', 'end ' + name + '\\n');
  return 'by ' + name;
});
console.log(JSON.stringify(kept));
process.exit(0);
`;

beforeAll(async () => {
  await compile(folder, ['tools/ledger/ledger.ts']);
  await writeFile(join(folder, 'worker.js'), WORKER);
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));

function work({ root, call }: Bench, effect: Effect, name: string): ChildProcess {
  const claim = call(effect);
  const child = spawn(process.execPath, [join(folder, 'worker.js'), root, claim.run, claim.call, effect, name], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await killMarked({ name: 'NIGHTSHIFT_CALL', value: callKey(claim.run, claim.call) });
  });
  return child;
}

async function effectsOf({ root }: Bench): Promise<string> {
  return await readFile(join(root, 'effects'), 'utf8').catch(() => '');
}

async function begun(made: Bench, effect: Effect): Promise<ChildProcess> {
  await writeFile(join(made.root, 'start'), '');
  const child = work(made, effect, 'first');
  await until('the effect began', async () => (await effectsOf(made)).includes('begin first'));
  return child;
}

describe.runIf(process.platform === 'linux')('a worker', () => {
  test('that was killed between claim and result leaves unknown, and none of its processes', async () => {
    const made = await bench();
    const worker = await begun(made, 'unsafe');
    worker.kill('SIGKILL');
    await once(worker, 'exit');
    const kept = await made.ledger.once(made.call('unsafe'), async () => await Promise.resolve('again'));
    expect(kept.kind).toBe('unknown');
    const { run, call } = made.call('unsafe');
    expect(await findMarked({ name: 'NIGHTSHIFT_CALL', value: callKey(run, call) })).toEqual([]);
    expect(await effectsOf(made)).toBe('begin first\n');
  });

  test('that was killed in a call that may be repeated is followed by another', async () => {
    const made = await bench();
    const worker = await begun(made, 'idempotent');
    worker.kill('SIGKILL');
    await once(worker, 'exit');
    expect(await made.ledger.once(made.call('idempotent'), async () => await Promise.resolve('again'))).toEqual({
      kind: 'done',
      value: 'again',
    });
  });

  test('that is stopped is busy, keeps its run from going on, and may finish its own attempt', async () => {
    const made = await bench();
    const worker = await begun(made, 'idempotent');
    const { run, call } = made.call('idempotent');
    expect(await made.ledger.abandoned(run, 'other')).toMatchObject([{ worker: 'first', pid: worker.pid }]);
    expect(await made.ledger.abandoned(run, call)).toEqual([]);
    expect(await made.ledger.abandoned('another run', 'other')).toEqual([]);
    worker.kill('SIGSTOP');
    const kept = await made.ledger.once(made.call('idempotent'), async () => await Promise.resolve('stolen'));
    expect(kept).toMatchObject({ kind: 'busy', holder: { worker: 'first', pid: worker.pid } });
    await writeFile(join(made.root, 'go'), '');
    worker.kill('SIGCONT');
    await once(worker, 'exit');
    expect(await made.ledger.once(made.call('idempotent'), async () => await Promise.resolve('stolen'))).toEqual({
      kind: 'stored',
      value: 'by first',
    });
    expect(await made.ledger.abandoned(run, 'other')).toEqual([]);
    expect(await effectsOf(made)).toBe('begin first\nend first\n');
  });

  test.each([
    ['a fresh call', 'unsafe', false],
    ['the call of a dead worker', 'idempotent', true],
  ] as const)('is the only one of eight to get %s', async (_name, effect, hasDead) => {
    const made = await bench();
    if (hasDead) {
      const dead = await begun(made, effect);
      dead.kill('SIGKILL');
      await once(dead, 'exit');
      await Promise.all([rm(join(made.root, 'start')), rm(join(made.root, 'effects'))]);
    }
    const names = Array.from({ length: 8 }, (_, index) => `racer-${index}`);
    const answers = names.map(async (name) =>
      String(((await once(work(made, effect, name).stdout ?? process.stdin, 'data')) as [Buffer])[0]),
    );
    await until(
      'all stand at the line',
      async () =>
        (await Promise.all(names.map(async (name) => await isThere(join(made.root, `ready-${name}`))))).every(Boolean),
      30_000,
    );
    await writeFile(join(made.root, 'start'), '');
    await until('one began', async () => (await effectsOf(made)) !== '');
    await setTimeout(300);
    await writeFile(join(made.root, 'go'), '');
    const kinds = (await Promise.all(answers)).map((answer) => (JSON.parse(answer) as { kind: string }).kind);
    expect((await effectsOf(made)).match(/begin/g)).toHaveLength(1);
    expect(kinds.filter((kind) => kind === 'done')).toHaveLength(1);
    expect(kinds.filter((kind) => kind === 'busy' || kind === 'stored')).toHaveLength(7);
  });
});

async function isThere(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
