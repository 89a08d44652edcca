import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { killMarked } from '../../src/tools/shell/process-tree.ts';
import { createRegistry, type Registry } from '../../src/tools/registry.ts';
import type { ToolCallResult } from '../../src/contract/tool-calls.ts';
import type { ToolContext } from '../../src/tools/tool.ts';
import { builtinTools } from '../support/builtin-tools.ts';
import { openWorkspace } from '../../src/tools/files/workspace.ts';

/** A folder that is removed when the test ends. */
export async function temporaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'nightshift-test-')));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  return folder;
}

export interface Situation {
  readonly registry: Registry;
  readonly context: ToolContext;
  /** Real path of the workspace. */
  readonly root: string;
  /** Beside the workspace, to escape to. */
  readonly outside: string;
  readonly run: (name: string, input: unknown, changes?: Partial<ToolContext>) => Promise<ToolCallResult>;
}

let calls = 0;

/** The real tools over a real, empty workspace. */
export async function situation(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<Situation> {
  const folder = await temporaryFolder();
  const [root, outside] = [join(folder, 'workspace'), join(folder, 'outside')];
  await Promise.all([mkdir(root), mkdir(outside)]);
  calls += 1;
  const registry = createRegistry(builtinTools(environment));
  const context: ToolContext = {
    workspace: await openWorkspace(root),
    signal: new AbortController().signal,
    key: `test-${process.pid}/${calls}-${Date.now()}`,
    live: () => {},
    permits: () => true,
    mayRead: () => true,
    mayReach: () => true,
    worker: `worker-${process.pid}-${calls}`,
    agent: 'tester',
    unconfined: false,
    answers: [],
    definitions: registry.definitions(registry.names),
  };
  onTestFinished(async () => void (await killMarked({ name: 'NIGHTSHIFT_CALL', value: context.key })));
  return {
    registry,
    context,
    root,
    outside,
    async run(name, input, changes) {
      const ran = await registry.run({ name, input }, { ...context, ...changes });
      if (ran.kind === 'ended') return ran.result;
      throw new Error(`Cannot end "${name}": it asks "${ran.question.message}"`);
    },
  };
}

/** Waits until it is so; fails the test when it takes longer than `limitMs`. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>, limitMs = 30_000): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!(await isSo())) {
    if (performance.now() > deadline)
      throw new Error(`Cannot go on: "${what}" does not come true within ${limitMs} ms`);
    await setTimeout(10);
  }
}
