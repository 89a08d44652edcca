import { spawnSync } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { HookInput, HookResult } from '../../src/contract/activities.ts';
import type { Hook } from '../../src/contract/terms.ts';
import { printing, scene, useHooks } from '../support/hook-scene.ts';
import { cannotConfine } from '../tools/sandbox/confined-situation.ts';
import { until } from '../tools/situation.ts';

useHooks();

describe.runIf(cannotConfine === undefined)('a hook', () => {
  test('one that is asked for again says what it said, and does nothing', async () => {
    const { ask, file } = await scene();
    const hook = { command: `echo x >> starts; ${printing({ context: 'once' })}`, effect: 'unsafe' } as const;
    const first = await ask(hook);
    expect(first).toMatchObject({ status: 'ok', context: 'once' });
    expect(await ask(hook)).toEqual(first);
    expect(await file('starts')).toBe('x\n');
  });

  test.each<[what: string, change: Partial<HookInput>]>([
    ['round', { round: 2 }],
    ['turn', { turn: 4 }],
    ['call', { callId: 'toolu_1' }],
    ['chain of executions', { chain: '00000000-0000' }],
    ['reply, as after a reset', { messages: 1 }],
  ])('another %s is another run of the hook', async (_what, change) => {
    const { ask, file } = await scene();
    const hook = { command: 'echo x >> starts', effect: 'unsafe' } as const;
    await ask(hook);
    await ask(hook, change);
    expect(await file('starts')).toBe('x\nx\n');
  });

  const STARTS = 'echo "${NIGHTSHIFT_KEY:-no key}" >> starts; cat > got.json; [ $(wc -l < starts) -gt 1 ] || sleep 100';
  test.each<[effect: Hook['effect'], starts: number, status: HookResult['status']]>([
    ['read', 2, 'ok'],
    ['idempotent', 2, 'ok'],
    ['keyed', 2, 'ok'],
    ['unsafe', 1, 'failed'],
  ])('whose worker ends while it runs, with the effect %s, is started %i times', async (effect, starts, status) => {
    const { start, file, stopWorker, startWorker, spec } = await scene({});
    const lines = async (): Promise<readonly string[]> => (await file('starts')).split('\n').slice(0, -1);
    const handle = await start({ command: STARTS, effect });
    await until('the hook runs', async () => (await lines()).length === 1);
    await stopWorker();
    await startWorker();
    const result = (await handle.result()) as HookResult;
    expect(result.status).toBe(status);
    expect(await lines()).toHaveLength(starts);
    const { key } = JSON.parse((await file('got.json')) || '{}') as { key?: string };
    const given = effect === 'keyed' ? key : undefined;
    expect(new Set(await lines())).toEqual(new Set([given ?? 'no key']));
    expect(given === undefined || given.startsWith(`${spec.runId}/`)).toBe(true);
    if (status === 'failed') expect(result.reason).toContain('its worker was lost while it ran');
  });

  test.each<[effect: Hook['effect'], starts: number, status: HookResult['status']]>([
    ['idempotent', 2, 'ok'],
    ['keyed', 2, 'ok'],
    ['unsafe', 1, 'failed'],
  ])('that died with its worker, with the effect %s, is started %i times', async (effect, starts, status) => {
    const { ask, file, root, spec } = await scene();
    const hook = { command: 'echo x >> starts', effect } as const;
    await ask(hook);
    await forgetResult(join(root, '.nightshift', 'ledger', spec.runId));
    expect(await ask(hook)).toMatchObject({ status });
    expect((await file('starts')).split('\n')).toHaveLength(starts + 1);
  });

  test('that is cancelled with its run ends with it', async () => {
    const { start, file } = await scene();
    const handle = await start({ command: 'echo x >> starts; sleep 100; echo x >> starts' });
    await until('the hook runs', async () => (await file('starts')) !== '');
    await handle.cancel();
    await expect(handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
    expect(await file('starts')).toBe('x\n');
  });
});

/** Leaves the one claim of a run as a worker leaves it that was killed. */
async function forgetResult(folder: string): Promise<void> {
  const names = await readdir(folder);
  const [claim = '', result = ''] = ['.claim', '.result'].map((end) => names.find((name) => name.endsWith(end)));
  const { holder } = JSON.parse(await readFile(join(folder, claim), 'utf8')) as { holder: object };
  const dead = { holder: { ...holder, pid: spawnSync('true').pid }, since: Date.now() };
  await rm(join(folder, result));
  await writeFile(join(folder, claim), JSON.stringify(dead));
}

test('a hook of a run whose folder is gone fails, and loses nothing', async () => {
  const { call, root } = await scene();
  await rm(root, { recursive: true });
  expect(await call({})).toMatchObject({ status: 'failed', reason: `the workspace "${root}" cannot be used` });
});

test('a step that cannot be made is the failure of the hook, not of the run', async () => {
  const { call } = await scene();
  const result = await call({}, { callId: 'toolu_9' });
  expect(result).toEqual({
    status: 'failed',
    reason: 'Cannot run a hook for call "toolu_9": the transcript has no such call',
    context: '',
    durationMs: 0,
  });
});
