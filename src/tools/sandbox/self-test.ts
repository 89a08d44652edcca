import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CALL_MARKER, callEnvironment, type Environment } from '../shell/call-environment.ts';
import type { ShellCommand, ShellEnd } from '../shell/shell.ts';

export interface Check {
  /** What was tried. */
  readonly name: string;
  readonly ok: boolean;
  /** What came of it. */
  readonly said: string;
}

export type RunConfined = (
  command: ShellCommand,
) => Promise<{ readonly end: ShellEnd; readonly putAway: readonly string[] }>;

const TIMEOUT_MS = 20_000;

interface Scene {
  readonly workspace: string;
  readonly outside: string;
  readonly canary: string;
  readonly port: number;
}

/** Names and attempts; each must fail. */
const ESCAPES: readonly (readonly [name: string, attempt: (scene: Scene) => string])[] = [
  ['make the system writable', () => 'mount -o remount,rw,bind /usr || mount -o remount,rw /'],
  ['write into the system', ({ canary }) => `echo > /usr/${canary} || echo > /etc/${canary}`],
  [
    'set the program for crashes',
    () => 'p=$(cat /proc/sys/kernel/core_pattern) && echo "$p" > /proc/sys/kernel/core_pattern',
  ],
  ['write beside the workspace', ({ outside }) => `echo escaped > ${outside}/canary`],
  ['read beside the workspace', ({ outside }) => `cat ${outside}/canary`],
  ['read the passwords', () => 'head -c 1 /etc/shadow'],
  ['read our claims', () => 'ls .nightshift/ledger'],
  [
    'find a secret of the worker',
    ({ canary }) => `cat /proc/[0-9]*/environ | grep -q ${canary.slice(0, 8)}.${canary.slice(9)}`,
  ],
  ['reach a port of this machine', ({ port }) => `: 3<>/dev/tcp/127.0.0.1/${port}`],
  ['change settings of git', () => 'echo x >> .git/config || mv .git moved || echo x > .git/hooks/pre-commit'],
  ['make a user namespace', () => 'unshare --user --map-root-user true'],
];

/**
 * Tries whether confined commands are confined here: in a new folder, with secrets planted, through the same function
 * that runs the model's commands.
 */
export async function testConfinement(environment: Environment, run: RunConfined): Promise<readonly Check[]> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'nightshift-sandbox-')));
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  try {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const scene = await plant(folder, port);
    return await tryEscapes(scene, { environment, run, connections: () => connections });
  } catch (error) {
    return [{ name: 'start', ok: false, said: error instanceof Error ? error.message : String(error) }];
  } finally {
    server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function plant(folder: string, port: number): Promise<Scene> {
  const [workspace, outside, canary] = [join(folder, 'workspace'), join(folder, 'outside'), randomUUID()];
  await mkdir(join(workspace, '.git', 'hooks'), { recursive: true });
  await mkdir(join(workspace, '.nightshift', 'ledger'), { recursive: true });
  await mkdir(outside);
  await writeFile(join(workspace, '.git', 'config'), '');
  await writeFile(join(outside, 'canary'), canary);
  return { workspace, outside, canary, port };
}

interface Means {
  readonly environment: Environment;
  readonly run: RunConfined;
  readonly connections: () => number;
}

async function tryEscapes(scene: Scene, { environment, run, connections }: Means): Promise<readonly Check[]> {
  const chunks: Buffer[] = [];
  const seconds = `30.${randomInt(1_000_000, 9_999_999)}`;
  const key = `self-test-${randomUUID()}`;
  const { end } = await run({
    command: script(scene, seconds),
    cwd: scene.workspace,
    environment: callEnvironment({ ...environment, NIGHTSHIFT_CANARY: scene.canary }, { key, worker: key }),
    marker: { name: CALL_MARKER, value: key },
    timeoutMs: TIMEOUT_MS,
    signal: new AbortController().signal,
    take: async (chunk) => void chunks.push(chunk),
  });
  const output = Buffer.concat(chunks).toString();
  const lines = output.split('\n');
  if (!lines.includes('begun') || !lines.includes('ended'))
    return [
      {
        name: 'start',
        ok: false,
        said: `it ended with ${JSON.stringify(end)} and said: ${output.slice(0, 1_000).trim()}`,
      },
    ];
  const survivors = await endProcesses(seconds);
  const text = await readFile(join(scene.outside, 'canary'), 'utf8');
  return [
    check('start', true, 'a command runs and writes into the workspace'),
    ...ESCAPES.map(([name], index) => check(name, !lines.includes(`escaped ${index}`), 'refused')),
    check('reach a listener', connections() === 0, 'no connection arrived'),
    check('change a file outside', text === scene.canary, 'it is unchanged'),
    check('outlive the call', survivors === 0, 'nothing is left'),
  ];
}

function check(name: string, ok: boolean, said: string): Check {
  return { name, ok, said: ok ? said : 'it was possible' };
}

/** Every attempt is a shell of its own, so that none can end or change the others. */
function script(scene: Scene, seconds: string): string {
  const attempts = ESCAPES.map(
    ([, attempt], index) => `( ${attempt(scene)} ) >/dev/null 2>&1 && echo "escaped ${index}"`,
  );
  return [
    'echo written > file && echo begun',
    `(env -i setsid sleep ${seconds} >/dev/null 2>&1 &)`,
    ...attempts,
    'echo ended',
  ].join('\n');
}

/** Ends the sleepers that are left, and resolves to how many there were. */
async function endProcesses(seconds: string): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const isOurs = async (pid: number): Promise<boolean> =>
    (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).startsWith(`sleep\0${seconds}\0`);
  const found: number[] = [];
  for (const pid of pids) if (await isOurs(pid)) found.push(pid);
  for (const pid of found) process.kill(pid, 'SIGKILL');
  return found.length;
}
