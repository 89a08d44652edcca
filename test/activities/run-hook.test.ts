import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readSettingsLayers } from '../../src/config/settings-files.ts';
import type { HookResult } from '../../src/contract/activities.ts';
import type { Hook } from '../../src/contract/terms.ts';
import { jsonBytes } from '../../src/core/sizes.ts';
import { createSandbox } from '../../src/tools/sandbox/sandbox.ts';
import type { HookMatter } from '../../src/workflows/call-hook.ts';
import { CALL, environment, printing, scene, SECRET, useHooks, type Scene } from '../support/hook-scene.ts';
import { cannotConfine } from '../tools/sandbox/confined-situation.ts';
import { temporaryFolder } from '../tools/situation.ts';

useHooks();

describe.runIf(cannotConfine === undefined)('a hook in the sandbox', () => {
  const ended = { status: 'success', content: 'Pushed.', durationMs: 5 };
  const verdict = { action: 'retry', reason: 'no tests', confidence: 80 };
  const outcome = { status: 'completed', reason: 'answered' };
  const pushed = { tool: 'bash', input: { command: 'git push --token [redacted: known secret]' } };
  test.each<[on: Hook['on'], matter: Partial<HookMatter>, told: object]>([
    ['before_model', {}, { turn: 4 }],
    ['after_model', {}, {}],
    ['before_tool', CALL, pushed],
    ['before_tool', { ...CALL, callId: 'toolu_2' }, { tool: 'mcp__a__b', input: { n: 1 } }],
    ['after_tool', { ...CALL, about: ended }, { ...pushed, result: ended }],
    ['after_critique', { about: verdict }, { verdict }],
    ['before_stop', { about: outcome }, { outcome }],
  ])('of %s reads what happened from its standard input', async (on, matter, told) => {
    const { call, file, spec } = await scene();
    expect(await call({ on, command: 'cat > got.json' }, matter)).toMatchObject({ status: 'ok', reason: '' });
    expect(JSON.parse(await file('got.json'))).toEqual({
      hook: 'guard',
      on,
      runId: spec.runId,
      agent: 'tester',
      turn: 3,
      ...told,
      lastReply: 'I push now.',
    });
  });

  test.each<[command: string, ended: Omit<HookResult, 'durationMs'>]>([
    ['true', { status: 'ok', context: '', reason: '' }],
    ['echo; echo "a remark" >&2', { status: 'ok', context: '', reason: '' }],
    ['echo "{}"', { status: 'ok', context: '', reason: '' }],
    [printing({ context: 'Mind the gap.' }), { status: 'ok', context: 'Mind the gap.', reason: '' }],
    [printing({ decision: 'deny', reason: 'not at night' }), { status: 'denied', context: '', reason: 'not at night' }],
    [
      printing({ decision: 'deny', context: 'Wait until eight.' }),
      { status: 'denied', context: 'Wait until eight.', reason: 'it gave no reason' },
    ],
    ['echo "not at night" >&2; exit 2', { status: 'denied', context: '', reason: 'not at night' }],
    ['exit 2', { status: 'denied', context: '', reason: 'it gave no reason' }],
  ])('before a call, with the command %j', async (command, result) => {
    const { call } = await scene();
    expect(await call({ command }, CALL)).toEqual({ ...result, durationMs: expect.any(Number) });
  });

  test.each<[what: string, hook: Partial<Hook>, reason: string]>([
    [
      'words are no answer',
      { command: 'echo hello' },
      'what it printed is no answer; expected nothing or {"decision"?',
    ],
    ['nor is more than is kept', { command: 'yes | head -c 70000' }, 'it printed more than 65536 characters'],
    ['an exit code', { command: 'echo broken >&2; exit 1' }, 'its command ended with exit code 1; it said: broken'],
    ['a command that is not there', { command: 'no-such-command' }, 'its command ended with exit code 127; it said: '],
    ['a command that kills itself', { command: 'kill -9 $$' }, 'its command ended with exit code 137'],
    ['too long a time', { command: 'sleep 100', timeoutMs: 500 }, 'its command took longer than 0.5 s'],
  ])('%s is a failure, with the reason', async (_what, hook, reason) => {
    const { call } = await scene();
    const result = await call(hook, CALL);
    expect(result).toMatchObject({ status: 'failed', context: '', reason: expect.stringContaining(reason) });
  });

  test('secrets are taken out of what it says, before that is cut', async () => {
    const { call } = await scene();
    const context = `${'x'.repeat(4_290)}${SECRET}${'y'.repeat(20_000)} ${SECRET}`;
    const denied = await call(
      { command: printing({ decision: 'deny', reason: `because of ${SECRET}`, context }) },
      CALL,
    );
    expect(denied.reason).toBe('because of [redacted: known secret]');
    expect(JSON.stringify(denied)).not.toMatch(/hunter2|and-then-some/);
    expect(jsonBytes(denied.context)).toBeLessThanOrEqual(8 * 1_024);
    const failed = await call({ command: `echo 'password is ${SECRET}' >&2; exit 1` }, CALL);
    expect(failed.reason).toContain('it said: password is [redacted');
  });

  test('it reaches no file, no variable and no server outside', async () => {
    const { call, file, outside } = await scene();
    await writeFile(join(outside, 'canary'), 'canary-of-a-file');
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const tries = [
      'cat ../outside/canary',
      'echo x > ../outside/new',
      `(exec 3<>/dev/tcp/127.0.0.1/${port} && echo connected)`,
      'env',
    ];
    expect(await call({ command: `{ ${tries.join('; ')}; } > tried 2>&1; true` })).toMatchObject({ status: 'ok' });
    const tried = await file('tried');
    expect(tried).toContain('NIGHTSHIFT_CALL=');
    expect(tried).not.toMatch(/canary-of-a-file|^connected|hunter2/m);
    expect([connections, await readdir(outside)]).toEqual([0, ['canary']]);
  });

  test('nothing of what a person has in .bashrc is run before it or handed to it', async () => {
    await expectNoProfile({});
  });
});

describe.runIf(cannotConfine === undefined)('the examples of docs/hooks.md', () => {
  test.each<[now: string, status: HookResult['status']]>([
    ['3 10', 'ok'],
    ['5 08', 'ok'],
    ['5 18', 'denied'],
    ['1 07', 'denied'],
    ['6 10', 'denied'],
  ])('a push at "%s" (day and hour) is %s', async (now, status) => {
    const { call } = await sceneWith({ date: `echo ${now}` });
    expect(await call(await example('office-hours'), CALL)).toMatchObject({ status });
  });

  test('what happened is posted with its key, and what the server says is no answer', async () => {
    const { call, file, spec } = await sceneWith({
      curl: 'cat > posted.json; echo "$@" > arguments; echo "thank you"',
    });
    expect(await call(await example('log'), CALL)).toMatchObject({ status: 'ok', context: '' });
    expect(JSON.parse(await file('posted.json'))).toMatchObject({ hook: 'log', tool: 'bash' });
    expect(await file('arguments')).toContain(`Idempotency-Key: ${spec.runId}/`);
  });
});

/** A scene in which these programs are found before those of the system. */
async function sceneWith(programs: Readonly<Record<string, string>>): Promise<Scene> {
  const bin = join(await temporaryFolder(), 'bin');
  await mkdir(bin);
  for (const [name, script] of Object.entries(programs))
    await writeFile(join(bin, name), `#!/bin/bash\n${script}\n`, { mode: 0o755 });
  const own = { ...environment, PATH: `${bin}:${process.env['PATH']}` };
  return await scene({ environment: own, sandbox: createSandbox({ environment: own }) });
}

/** A hook as it stands in the documentation, read as a settings file is. */
async function example(name: string): Promise<Hook> {
  const text = await readFile(join(import.meta.dirname, '..', '..', 'docs', 'hooks.md'), 'utf8');
  const block = /^ {4}sandbox:\n(?: {4}.*\n|\n)+/m.exec(text)?.[0] ?? '';
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'settings.yaml'), block.replaceAll(/^ {4}/gm, ''));
  const places = {
    folder,
    env: { NIGHTSHIFT_HOME: folder },
    home: folder,
    knownTools: ['bash'],
    isTrusted: () => true,
  };
  const { hooks } = await readSettingsLayers(places);
  const found = hooks.find((hook) => hook.name === name);
  if (found === undefined) throw new Error(`Cannot find the hook "${name}" in docs/hooks.md`);
  return found;
}

const lost = createSandbox({ environment, bwrapPath: '/nonexistent/bwrap' });

describe('a hook that cannot be confined', () => {
  test('does not run, and says why', async () => {
    const { call, file } = await scene({ sandbox: lost });
    const result = await call({ command: 'echo x > made' });
    expect(result).toMatchObject({ status: 'failed', reason: expect.stringContaining('it cannot be confined here: ') });
    expect(await file('made')).toBe('');
  });

  test('runs where the operator of the machine allows that', async () => {
    const { call, file } = await scene({ sandbox: lost, unconfined: true });
    expect(await call({ command: 'echo x > made' })).toMatchObject({ status: 'ok' });
    expect(await file('made')).toBe('x\n');
  });

  test('and hears nothing of what a person has in .bashrc there either', async () => {
    await expectNoProfile({ sandbox: lost, unconfined: true });
  });
});

async function expectNoProfile(means: Parameters<typeof scene>[0]): Promise<void> {
  const home = await temporaryFolder();
  const { call, outside } = await scene({ ...means, environment: { ...environment, HOME: home } });
  const profile = `export LEAKED=a-token\necho words of a profile\necho ran > '${outside}/ran'\n`;
  await writeFile(join(home, '.bashrc'), profile);
  expect(await call({ command: '[ -z "$LEAKED" ] || exit 3' })).toMatchObject({ status: 'ok', reason: '' });
  expect(await readdir(outside)).toEqual([]);
}
