import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createSandbox } from '../../../src/tools/sandbox/sandbox.ts';
import { unfitWorkspace } from '../../../src/tools/sandbox/unfit-workspace.ts';
import { compile } from '../compiled.ts';
import { temporaryFolder, until } from '../situation.ts';
import { cannotConfine, confinedSituation } from './confined-situation.ts';

const canConfine = cannotConfine === undefined;

describe('a workspace', () => {
  const cases: [root: string, why: RegExp | undefined][] = [
    ['/', /home folder/],
    ['/home', /home folder/],
    ['/home/ada', /home folder/],
    ['/home/ada/work', undefined],
    ['/home/bob', undefined],
    ['/usr', /system folder "\/usr"/],
    ['/usr/src/app', undefined],
    ['/etc', /system folder/],
    ['/tmp', /system folder/],
    ['/tmp/x', undefined],
    ['/proc/self', /system's own files/],
    ['/dev/shm/x', /system's own files/],
  ];
  test.each(cases)('%s: %s', (root, why) => {
    const problem = unfitWorkspace(root, '/home/ada');
    if (why === undefined) expect(problem).toBeUndefined();
    else expect(problem).toMatch(why);
  });
});

describe('the self-test', () => {
  test.runIf(canConfine)('tries what matters, and says what came of each', async () => {
    const checks = await createSandbox({ environment: process.env }).selfTest();
    expect(checks.length).toBeGreaterThanOrEqual(10);
    expect(checks.filter(({ ok }) => !ok)).toEqual([]);
  });

  const breaches: [name: string, change: string, said: RegExp][] = [
    ['the network', 's/--unshare-all/--unshare-all --share-net/', /reach a port of this machine: it was possible/],
    [
      'all files',
      's#--remount-ro / #--bind /tmp /tmp --bind $WORKSPACE $WORKSPACE --remount-ro / #',
      /beside the workspace: it was possible/,
    ],
    [
      'the settings of the kernel',
      's#--proc /proc --remount-ro /proc#--proc /proc#',
      /set the program for crashes: it was possible/,
    ],
    ['the passwords', 's#--remount-ro / #--ro-bind /etc /etc --remount-ro / #', /read the passwords: it was possible/],
  ];
  test.runIf(canConfine && process.getuid?.() === 0).each(breaches)(
    'finds a bwrap that leaves %s open',
    async (_name, change, said) => {
      const bwrapPath = join(await temporaryFolder(), 'bwrap');
      await writeFile(bwrapPath, leaky(change));
      await chmod(bwrapPath, 0o755);
      const root = await temporaryFolder();
      expect(await createSandbox({ environment: process.env, bwrapPath }).problem(root)).toMatch(said);
    },
  );

  test('says why nothing can be confined', async () => {
    const root = await temporaryFolder();
    const cases: [program: string, said: RegExp][] = [
      ['#!/bin/sh\nexit 1\n', /does not run/],
      [
        '#!/bin/sh\n[ "$1" = --help ] || { echo "bwrap: No permissions" >&2; exit 1; }\n',
        /start: .*bwrap: No permissions/,
      ],
      [
        '#!/bin/sh\n[ "$1" = --help ] || while [ "$1" != -- ]; do shift; done; shift; exec "$@"\n',
        /self-test of the sandbox failed/,
      ],
    ];
    for (const [program, said] of cases) {
      const bwrapPath = join(await temporaryFolder(), 'bwrap');
      await writeFile(bwrapPath, program);
      await chmod(bwrapPath, 0o755);
      expect(await createSandbox({ environment: process.env, bwrapPath }).problem(root)).toMatch(said);
    }
  });
});

/** A bwrap whose arguments are changed before the real one gets them. */
function leaky(change: string): string {
  return `#!/bin/bash
[ "$1" = --help ] && exec /usr/bin/bwrap --help
all=$(tr '\\0' ' ' <&5)
WORKSPACE=\${all##*--chdir }; WORKSPACE=\${WORKSPACE% }
changed=$(sed "${change}" <<< "$all")
args=(); while [ "$1" != --args ]; do args+=("$1"); shift; done; shift 3
exec /usr/bin/bwrap "\${args[@]}" $changed -- "$@"
`;
}

describe.runIf(canConfine)('a confined command', () => {
  test('works in a folder with any name', async () => {
    const folder = join(await temporaryFolder(), `a "b' $(touch x);\n--bind é`);
    await mkdir(folder);
    const { run, registry } = await confinedSituation();
    expect((await run('bash', { command: 'true' })).status).toBe('success');
    const sandbox = createSandbox({ environment: process.env });
    const chunks: string[] = [];
    const { end } = await sandbox.run({
      command: 'pwd; echo > made',
      cwd: folder,
      environment: { PATH: '/usr/bin:/bin' },
      marker: { name: 'NIGHTSHIFT_CALL', value: 'odd-name' },
      timeoutMs: 10_000,
      signal: new AbortController().signal,
      take: async (chunk) => void chunks.push(chunk.toString()),
    });
    expect({ end, text: chunks.join('') }).toEqual({ end: { kind: 'exit', code: 0 }, text: `${folder}\n` });
    expect((await readdir(folder)).toSorted()).toEqual(['.nightshift', 'made']);
    expect(registry.names).toContain('bash');
  });

  test('can use the programs of the worker, below the home folder too', async () => {
    const home = await temporaryFolder();
    await mkdir(join(home, 'tools', 'bin'), { recursive: true });
    await mkdir(join(home, 'tools', 'lib'));
    await writeFile(join(home, 'tools', 'lib', 'word'), 'found');
    await writeFile(join(home, 'tools', 'bin', 'mine'), '#!/bin/sh\ncat "${0%/*}/../lib/word"\n');
    await writeFile(join(home, 'secret'), 'canary');
    await chmod(join(home, 'tools', 'bin', 'mine'), 0o755);
    const environment = { HOME: home, PATH: `${home}/tools/bin:${home}:relative:/usr/bin:/bin` };
    const { run } = await confinedSituation({ environment });
    expect((await run('bash', { command: 'mine; node -e "console.log(1)"; ls ~; cat ~/secret' })).content).toMatch(
      /^found1\ntools\n.*No such file/s,
    );
  });

  test('can commit, but the settings and hooks of the repository stay as they are', async () => {
    const { run, root } = await confinedSituation();
    const command =
      'git init -q . && git config user.name x && git config user.email x@x && echo a > a && git add a && git commit -qm one';
    expect(await run('bash', { command })).toMatchObject({ status: 'success', content: '[No output.]' });
    expect((await run('bash', { command: 'echo b > a; git commit -qam two; git log --format=%s' })).content).toBe(
      'two\none',
    );
    expect((await run('bash', { command: 'git config user.name y' })).status).toBe('error');
    expect(await readdir(root)).not.toContain('.git.old');
  });

  test('sees no socket that somebody listens on in the workspace', async () => {
    const { run, root } = await confinedSituation();
    const server = createServer().listen(join(root, 'a b.sock'));
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    expect((await run('bash', { command: 'stat -c %F "a b.sock"' })).content).toBe('character special file');
  });

  test('leaves links that others follow as they were', async () => {
    const { run, root } = await confinedSituation();
    await mkdir(join(root, 'settings'));
    await symlink('settings', join(root, '.vscode'));
    const { content } = await run('bash', { command: 'echo x > settings/tasks.json; rm .vscode; mkdir .vscode; ls' });
    expect(content).toMatch(/Read-only file system[^]*quarantine.*\.vscode/);
    expect(await readdir(join(root, '.vscode'))).toEqual([]);
  });

  test('leaves no control group behind', async () => {
    const { run } = await confinedSituation();
    await run('bash', { command: 'true' });
    const folders = ['/sys/fs/cgroup/pids/nightshift', '/sys/fs/cgroup/nightshift'].filter((path) => existsSync(path));
    const ours = async (): Promise<readonly string[]> =>
      (await Promise.all(folders.map(async (path) => await readdir(path))))
        .flat()
        .filter((name) => name.startsWith(`${process.pid}-`));
    const before = await ours();
    await run('bash', { command: ':(){ :|:& };:; sleep 20' });
    await until('it is gone', async () => (await ours()).every((name) => before.includes(name)));
  });

  test('is stopped when it fills the disk', async () => {
    const { run } = await confinedSituation({ allowance: { diskBytesFreeMin: 2 ** 60 } });
    const result = await run('bash', { command: 'head -c 100M /dev/zero > big; sync; sleep 30' });
    expect(result.content).toMatch(/Killed: it left less than \d+ MiB of the disk free/);
    expect((await run('bash', { command: 'rm big; echo enough' })).content).toBe('enough');
  });

  test('does not see our own folders, wherever they lie', async () => {
    const { root } = await confinedSituation();
    const hidden = join(root, 'data');
    await mkdir(hidden);
    await writeFile(join(hidden, 'token'), 'canary');
    const chunks: string[] = [];
    await createSandbox({ environment: process.env, hidden: [hidden] }).run({
      command: 'ls -A data; echo x > data/x',
      cwd: root,
      environment: { PATH: '/usr/bin:/bin' },
      marker: { name: 'NIGHTSHIFT_CALL', value: 'hidden' },
      timeoutMs: 10_000,
      signal: new AbortController().signal,
      take: async (chunk) => void chunks.push(chunk.toString()),
    });
    expect(chunks.join('')).toMatch(/^[^\n]*Read-only file system\n$/);
  });
});

/** Prints what the self-test says to another user. */
const OTHER = `
import { createSandbox } from './tools/sandbox/sandbox.js';
console.log(JSON.stringify(await createSandbox({ environment: { PATH: process.env.PATH, HOME: '/nonexistent' } }).selfTest()));
`;

test.runIf(canConfine && process.getuid?.() === 0)('a worker that is not root can confine as well', async () => {
  const folder = await temporaryFolder();
  await compile(folder, ['tools/sandbox/sandbox.ts']);
  await symlink(join(import.meta.dirname, '..', '..', '..', 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'other.js'), OTHER);
  await chmod(folder, 0o755);
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'other.js')], {
    uid: 65_534,
    gid: 65_534,
  });
  const checks = JSON.parse(stdout) as { readonly ok: boolean }[];
  expect(checks.length).toBeGreaterThanOrEqual(10);
  expect(checks.filter(({ ok }) => !ok)).toEqual([]);
});
