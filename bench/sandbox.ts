import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CALL_MARKER, callEnvironment } from '../src/tools/shell/call-environment.ts';
import { createSandbox } from '../src/tools/sandbox/sandbox.ts';
import { runShell, type ShellCommand } from '../src/tools/shell/shell.ts';
import { median, say } from './setting.ts';

const COMMANDS = 40;

/** Milliseconds of the same command, in turns with and without the sandbox, in a workspace with a repository. */
export async function measureSandbox(): Promise<{
  readonly confinedMs: number;
  readonly plainMs: number;
  readonly selfTestMs: number;
}> {
  const root = await mkdtemp(join(tmpdir(), 'nightshift-bench-'));
  const environment = process.env;
  const sandbox = createSandbox({ environment });
  try {
    await mkdir(join(root, '.git', 'hooks'), { recursive: true });
    await writeFile(join(root, '.git', 'config'), '');
    const startedAt = performance.now();
    const problem = await sandbox.problem(root);
    if (problem !== undefined) throw new Error(`Cannot measure the sandbox: ${problem}`);
    const selfTestMs = performance.now() - startedAt;
    const confined: number[] = [];
    const plain: number[] = [];
    for (let count = 0; count < COMMANDS; count += 1) {
      plain.push(await timed(async () => await runShell(command(root))));
      confined.push(await timed(async () => await sandbox.run(command(root))));
    }
    say(`  median of ${COMMANDS}: ${median(confined).toFixed(1)} ms confined, ${median(plain).toFixed(1)} ms not`);
    return { confinedMs: median(confined), plainMs: median(plain), selfTestMs };
  } finally {
    await sandbox.close();
    await rm(root, { recursive: true, force: true });
  }
}

function command(cwd: string): ShellCommand {
  const key = `bench-${randomUUID()}`;
  return {
    command: 'true',
    cwd,
    environment: callEnvironment(process.env, { key, worker: key }),
    marker: { name: CALL_MARKER, value: key },
    timeoutMs: 30_000,
    signal: new AbortController().signal,
    take: async () => {},
  };
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await act();
  return performance.now() - startedAt;
}
