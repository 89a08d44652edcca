import { randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { bundleWorkflowCode, Runtime, Worker, type NativeConnection } from '@temporalio/worker';
import { afterAll, beforeAll, inject, onTestFinished } from 'vitest';
import { runHook, type HookDependencies } from '../../src/activities/run-hook.ts';
import { TranscriptCache } from '../../src/activities/transcript-cache.ts';
import type { HookInput, HookResult } from '../../src/contract/activities.ts';
import type { Message } from '../../src/contract/messages.ts';
import type { RunSpec } from '../../src/contract/spec.ts';
import type { Hook } from '../../src/contract/terms.ts';
import { connectClient } from '../../src/temporal/connect.ts';
import { connectWorker } from '../../src/temporal/connect-worker.ts';
import { dataConverter } from '../../src/temporal/data-converter.ts';
import { identifyHolder, openLedger } from '../../src/tools/ledger/ledger.ts';
import { createRedactor } from '../../src/tools/redaction/redaction.ts';
import { createSandbox } from '../../src/tools/sandbox/sandbox.ts';
import type { HookMatter } from '../../src/workflows/call-hook.ts';
import { fresh } from '../core/builders.ts';
import { temporaryFolder } from '../tools/situation.ts';
import type { asksForHook, callsHook, HookedRun } from './hook-workflows.ts';

/** A value that the redactor of these workers knows. */
export const SECRET = 'hunter2-and-then-some';

export const environment = { ...process.env, HOOK_TEST_PASSWORD: SECRET };
const sandbox = createSandbox({ environment });

const quiet = (): void => undefined;
const logger = { log: quiet, trace: quiet, debug: quiet, info: quiet, warn: quiet, error: quiet };

/** The queue that all tests use which neither stop their worker nor have means of their own. */
const SHARED_QUEUE = `hooks-${randomBytes(4).toString('hex')}`;

let code: string;
let stopShared: () => Promise<void>;
let client: Client;
let connection: NativeConnection;
let disconnect: () => Promise<void>;

const use = {
  type: 'tool_use',
  id: 'toolu_1',
  name: 'bash',
  input: { command: `git push --token ${SECRET}` },
} as const;
const carried = {
  type: 'tool_use',
  id: 'toolu_2',
  name: 'use_tool',
  input: { tool: 'mcp__a__b', input: { n: 1 } },
} as const;
const conversation: readonly Message[] = [
  { role: 'user', content: [{ type: 'text', text: 'Publish it.' }] },
  { role: 'assistant', content: [{ type: 'text', text: 'I push now.' }, use, carried] },
];

/** The call that the newest reply asks for. */
export const CALL: HookMatter = { round: 1, callId: 'toolu_1' };

/** A command that prints what it is to answer. */
export const printing = (value: unknown): string => `cat <<'END'\n${JSON.stringify(value)}\nEND`;

export interface Scene {
  /** Real path of the workspace. */
  readonly root: string;
  readonly outside: string;
  readonly spec: RunSpec;
  /** Calls the hook as a run does. */
  readonly call: (hook: Partial<Hook>, matter?: Partial<HookMatter>) => Promise<HookResult>;
  /** Asks for the activity with this very input. */
  readonly ask: (hook: Partial<Hook>, input?: Partial<HookInput>) => Promise<HookResult>;
  readonly start: (hook: Partial<Hook>) => ReturnType<Client['workflow']['start']>;
  readonly stopWorker: () => Promise<void>;
  readonly startWorker: () => Promise<void>;
  readonly file: (name: string) => Promise<string>;
}

async function dependenciesWith(means: Partial<HookDependencies['hooks']>): Promise<HookDependencies> {
  return {
    transcripts: new TranscriptCache(),
    redactor: createRedactor({ secrets: [SECRET] }),
    ledgerOf: openLedger,
    holder: await identifyHolder(`worker-${SHARED_QUEUE}`),
    hooks: { environment, sandbox, unconfined: false, ...means },
  };
}

/** A new workspace and a worker, which is the scene's own when it is given any means. */
export async function scene(means?: Partial<HookDependencies['hooks']>): Promise<Scene> {
  const folder = await temporaryFolder();
  const [root, outside] = [join(folder, 'workspace'), join(folder, 'outside')];
  await Promise.all([mkdir(root), mkdir(outside)]);
  const id = randomBytes(4).toString('hex');
  const taskQueue = means === undefined ? SHARED_QUEUE : `hooks-${id}`;
  const { spec } = fresh({ runId: `run-${id}`, workspace: root });
  const dependencies = await dependenciesWith(means ?? {});
  let stop = means === undefined ? async () => {} : await poll(taskQueue, dependencies);
  onTestFinished(async () => await stop());
  const runOf = (hook: Hook): HookedRun => ({ spec: { ...spec, hooks: [hook] }, turn: 3, messages: conversation });
  let count = 0;
  const options = (): { taskQueue: string; workflowId: string } => ({ taskQueue, workflowId: `${id}-${(count += 1)}` });
  return {
    root,
    outside,
    spec,
    async call(fields, matter = {}) {
      const hook = hookOf(fields);
      const args = [runOf(hook), hook, { round: 1, ...matter }] as Parameters<typeof callsHook>;
      return await client.workflow.execute<typeof callsHook>('callsHook', { ...options(), args });
    },
    async ask(fields, input = {}) {
      const hook = hookOf(fields);
      const wanted = { hook: hook.name, turn: 3, messages: 2, chain: 'f1e2d3c4-0000', round: 1, ...input };
      const args = [runOf(hook), wanted] as Parameters<typeof asksForHook>;
      return await client.workflow.execute<typeof asksForHook>('asksForHook', { ...options(), args });
    },
    async start(fields) {
      const hook = hookOf(fields);
      const args = [runOf(hook), hook, { round: 1 }] as Parameters<typeof callsHook>;
      return await client.workflow.start<typeof callsHook>('callsHook', { ...options(), args });
    },
    stopWorker: async () => await stop(),
    async startWorker() {
      stop = await poll(taskQueue, dependencies);
    },
    file: async (name) => await readFile(join(root, name), 'utf8').catch(() => ''),
  };
}

async function poll(taskQueue: string, dependencies: HookDependencies): Promise<() => Promise<void>> {
  const worker = await Worker.create({
    connection,
    taskQueue,
    dataConverter,
    workflowBundle: { code },
    sinks: dependencies.transcripts.sinks(),
    activities: { runHook: async (input: HookInput) => await runHook(dependencies, input) },
    shutdownGraceTime: 100,
    stickyQueueScheduleToStartTimeout: 1_000,
    maxHeartbeatThrottleInterval: 400,
    defaultHeartbeatThrottleInterval: 400,
  });
  const ended = worker.run();
  return async () => {
    if (worker.getState() === 'RUNNING') worker.shutdown();
    await ended;
  };
}

function hookOf(fields: Partial<Hook>): Hook {
  return { name: 'guard', on: 'before_tool', command: 'true', effect: 'read', timeoutMs: 20_000, ...fields };
}

/** Has the tests of a file run hooks in one worker, which has nothing but the hooks' activity. */
export function useHooks(): void {
  beforeAll(async () => {
    Runtime.install({ logger, telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' } } } });
    const target = { address: inject('temporalAddress'), namespace: 'default' };
    const workflowsPath = join(import.meta.dirname, 'hook-workflows.ts');
    ({ code } = await bundleWorkflowCode({ workflowsPath, logger }));
    ({ client, close: disconnect } = await connectClient(target));
    connection = await connectWorker(target);
    stopShared = await poll(SHARED_QUEUE, await dependenciesWith({}));
  });

  afterAll(async () => {
    await stopShared();
    await Promise.all([disconnect(), connection.close()]);
  });
}
