import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { visible } from '../../src/cli/text/visible.ts';
import { createSandbox } from '../../src/tools/sandbox/sandbox.ts';
import type { Attempt } from './escapes/attempt.ts';
import { startWorkerThatDies } from './escapes/dying-worker.ts';
import { LINKS, PATHS } from './escapes/file-escapes.ts';
import { AFTERWARDS, PROCESSES, RESOURCES } from './escapes/lasting-escapes.ts';
import { CALLS, NETWORK } from './escapes/network-escapes.ts';
import { escapeScene, processesWith, SECRETS } from './escapes/scene.ts';
import { ENVIRONMENT, KERNEL, SHELL } from './escapes/shell-escapes.ts';
import { cannotConfine, confinedSituation, situationIn } from './sandbox/confined-situation.ts';
import { temporaryFolder, until } from './situation.ts';

const home = mkdtempSync(join(tmpdir(), 'nightshift-home-'));
mkdirSync(join(home, '.ssh'));
for (const name of ['.ssh/id_ed25519', '.npmrc', '.netrc', '.git-credentials'])
  writeFileSync(join(home, name), SECRETS.home);
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** A worker full of secrets. */
const environment = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: home,
  LANG: 'C.UTF-8',
  ANTHROPIC_API_KEY: SECRETS.environment,
  TEMPORAL_API_KEY: SECRETS.environment,
  HTTPS_PROXY: 'http://127.0.0.1:1',
};
const sandbox = createSandbox({ environment, allowance: { memoryBytesMax: 300 * 1_024 * 1_024 } });

const TABLE: Readonly<Record<string, readonly Attempt[]>> = {
  'by a path': PATHS,
  'by a link': LINKS,
  'by the words of a command': SHELL,
  'by the environment': ENVIRONMENT,
  'by the kernel': KERNEL,
  'by the network': NETWORK,
  'by system calls': process.arch === 'x64' && existsSync('/usr/bin/python3') ? CALLS : [],
  'by processes left behind': PROCESSES,
  'by taking all there is': RESOURCES,
  'by what others do with the workspace afterwards': AFTERWARDS,
};

test('there are at least sixty attempts', () => {
  expect(Object.values(TABLE).flat().length).toBeGreaterThanOrEqual(60);
});

describe.runIf(cannotConfine === undefined).each(Object.entries(TABLE))('no way out %s', (_kind, attempts) => {
  test.each(attempts)('$name', async ({ by, gets }) => {
    const scene = await escapeScene(sandbox, environment);
    const { content } = await by(scene);
    expect(content).toMatch(gets);
    for (const secret of Object.values(SECRETS)) expect(content).not.toContain(secret);
    await scene.nothingEscaped();
  });
});

describe('no way out by what people are shown', () => {
  const cases: [name: string, command: string][] = [
    ['orders to a terminal', 'rm -rf x \u001b[2K\u001b[1Aecho harmless'],
    ['a line that overwrites itself', 'rm -rf x\recho harmless'],
    ['letters that run backwards', 'echo \u202e x fr- mr \u2066'],
    ['letters without width', 'rm\u200b -rf\u2060 x \u{e0041}'],
    ['the end out of sight', `echo harmless${' '.repeat(3_000)}; rm -rf x`],
    [
      'lines that look like ours',
      'true\n\nIn "/safe", in the sandbox (there is no network), for at most 60 s:\n\necho harmless',
    ],
  ];
  test.each(cases)('%s', async (_name, command) => {
    const { registry, context } = await situationIn(sandbox, environment);
    const bash = registry.get('bash');
    const preview = (await bash?.preview?.({ command }, context)) ?? '';
    expect(preview.slice(preview.indexOf('\n\n') + 2)).toBe(command);
    expect(bash?.summarize({ command })).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(visible(preview)).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  test.runIf(cannotConfine === undefined)('orders to a terminal in the output are only text', async () => {
    const { run } = await situationIn(sandbox, environment);
    const { content } = await run('bash', { command: String.raw`printf '\e]0;title\a\e[2J\e[1A\r'` });
    expect(visible(content)).toBe(String.raw`\x1b]0;title\x07\x1b[2J\x1b[1A\x0d`);
  });
});

describe.runIf(cannotConfine === undefined)('no way out when the sandbox is lost', () => {
  test('between the preview and the call: nothing runs', async () => {
    const bwrapPath = join(await temporaryFolder(), 'bwrap');
    copyFileSync('/usr/bin/bwrap', bwrapPath);
    const { run, root } = await confinedSituation({ environment, bwrapPath });
    expect(await run('bash', { command: 'echo > first' })).toMatchObject({ status: 'success' });
    rmSync(bwrapPath);
    const { content, status } = await run('bash', { command: 'echo > second' });
    expect(status).toBe('error');
    expect(content).toContain('The sandbox could not be made, so the command was not started.');
    expect(readdirSync(root)).toEqual(['.nightshift', 'first']);
  });

  test('because the worker is killed: nothing goes on, and what was made is put away by the next call', async () => {
    const scene = await escapeScene(sandbox, environment);
    const command = `(env -i setsid sleep ${scene.seconds} &) ; echo ../e > .git/commondir; echo begun; sleep ${scene.seconds}`;
    const kill = await startWorkerThatDies(scene.root, command);
    await kill();
    await until('all is gone', () => processesWith(`sleep\0${scene.seconds}`).length === 0, 2_000);
    expect((await scene.bash('true')).content).toMatch(/quarantine.*\.git\/commondir/);
    await scene.nothingEscaped();
  });
});

test.runIf(cannotConfine !== undefined)(
  `bash runs nothing without leave on this machine: ${cannotConfine}`,
  async () => {
    const { run, root } = await situationIn(sandbox, environment);
    expect(await run('bash', { command: 'touch ran' })).toMatchObject({ error: 'permission_denied' });
    expect(readdirSync(root)).toEqual([]);
  },
);
