import { mkdtemp, rm } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { Runtime, Worker } from '@temporalio/worker';
import { inject } from 'vitest';
import { readRun, startRun, type Reading } from '../../src/client.ts';
import type { Environment } from '../../src/config/environment.ts';
import type { RunEvent } from '../../src/contract/events.ts';
import type { RunResult, RunView } from '../../src/contract/run.ts';
import type { RunSpec, ToolDefinition } from '../../src/contract/spec.ts';
import { controlDefinitions } from '../../src/contract/control-tools.ts';
import { builtinTools } from './builtin-tools.ts';
import { readRunToEnd } from './read-run.ts';
import { startOfflineModel, type OfflineModel } from '../../src/models/offline/server.ts';
import type { Scenario } from '../../src/models/offline/scenario.ts';
import { connectClient } from '../../src/temporal/connect.ts';
import { dataConverter } from '../../src/temporal/data-converter.ts';
import { createRegistry } from '../../src/tools/registry.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { workflowSource } from '../../src/worker/workflow-source.ts';
import { startWorker, type RunningWorker, type WorkerOptions } from '../../src/worker.ts';

/** Everything one test file needs to live runs: a queue of its own, a worker, a model that plays scripts, a folder. */
export interface House {
  readonly client: Client;
  readonly model: OfflineModel;
  readonly workspace: string;
  readonly dataFolder: string;
  readonly taskQueue: string;
  readonly workerOptions: WorkerOptions;
  readonly worker: RunningWorker;
  /** Starts a run whose model plays `scenario`. */
  readonly start: (scenario: Scenario, changes?: SpecChanges) => Promise<LiveRun>;
  readonly close: () => Promise<void>;
}

export interface LiveRun {
  readonly runId: string;
  readonly spec: RunSpec;
  readonly handle: WorkflowHandle;
  /** Resolves when the run has ended, with what it left in its memo. */
  readonly result: () => Promise<RunResult>;
  readonly read: () => Promise<Reading>;
  /** Resolves with the view once it satisfies the condition. */
  readonly until: (condition: (view: RunView) => boolean) => Promise<RunView>;
  readonly events: () => Promise<readonly RunEvent[]>;
}

export type SpecChanges = Partial<Omit<RunSpec, 'policy' | 'limits' | 'approvals' | 'timeouts' | 'tools'>> & {
  readonly tools?: readonly ToolDefinition[];
  readonly policy?: Readonly<Partial<Record<'allow' | 'ask' | 'deny', readonly string[]>>> &
    Pick<RunSpec['policy'], 'mode' | 'above'>;
  readonly limits?: Partial<RunSpec['limits']>;
  readonly approvals?: Partial<RunSpec['approvals']>;
  readonly timeouts?: Partial<RunSpec['timeouts']>;
};

export interface HouseOptions {
  readonly tools?: readonly Tool[];
  /** Of tools that the workflow answers itself, besides those every run has. */
  readonly definitions?: readonly ToolDefinition[];
  /** False when the test brings its workers itself. */
  readonly worker?: boolean;
  /** What the worker's environment is, instead of that of the tests. */
  readonly environment?: Environment;
  /** A server of the test's own, instead of the shared one. */
  readonly address?: string;
}

Runtime.install({
  logger: { log: ignore, trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore },
  telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' } } },
});

export async function openHouse({
  tools = [],
  definitions = [],
  worker: wanted = true,
  address,
  environment = process.env,
}: HouseOptions = {}): Promise<House> {
  const id = randomBytes(4).toString('hex');
  const [workspace, dataFolder] = await Promise.all([tempFolder('workspace'), tempFolder('data')]);
  const target = { address: address ?? inject('temporalAddress'), namespace: 'default' };
  const model = await startOfflineModel({ keep: 200 });
  const { client, close: disconnect } = await connectClient(target);
  const workerOptions: WorkerOptions = {
    target,
    taskQueue: `test-${id}`,
    dataFolder,
    environment,
    models: { apiKey: 'test', baseURL: model.url, idleMs: 1_000, connectMs: 1_000 },
    bundlePath: inject('workflowBundle'),
    tools,
    shutdownGraceMs: 500,
  };
  const worker = wanted ? await startWorker(workerOptions) : noWorker;
  let count = 0;
  return {
    client,
    model,
    workspace,
    dataFolder,
    taskQueue: workerOptions.taskQueue,
    workerOptions,
    worker,
    async start(scenario, changes = {}) {
      const runId = changes.runId ?? `run-${id}-${(count += 1)}`;
      const spec = specFor({ runId, workspace, tools, definitions }, changes);
      model.script(spec.model.id, scenario);
      await startRun(client, spec, workerOptions.taskQueue);
      return liveRun(client, spec);
    },
    async close() {
      await worker.shutdown();
      await Promise.all([disconnect(), model.close()]);
      await Promise.all(
        [workspace, dataFolder].map(async (folder) => await rm(folder, { recursive: true, force: true })),
      );
    },
  };
}

function specFor(
  {
    runId,
    workspace,
    tools,
    definitions,
  }: { runId: string; workspace: string; tools: readonly Tool[]; definitions: readonly ToolDefinition[] },
  changes: SpecChanges,
): RunSpec {
  const registry = createRegistry([...builtinTools(), ...tools]);
  return {
    runId,
    title: `test ${runId}`,
    agent: { name: 'tester', source: '', digest: 'sha256:0' },
    // Each run has a model of its own name, so that scripts of parallel runs do not meet.
    model: { id: `offline-${runId}`, maxTokens: 8_000, contextTokens: 200_000, offline: false },
    system: 'You test.',
    task: 'Do the test.',
    workspace,
    startedBy: 'test',
    planning: false,
    critique: { when: 'never', redoMax: 3 },
    ...changes,
    tools: [...(changes.tools ?? [...registry.definitions(registry.names), ...controlDefinitions, ...definitions])],
    policy: {
      ...changes.policy,
      allow: [...(changes.policy?.allow ?? [])],
      ask: [...(changes.policy?.ask ?? [])],
      deny: [...(changes.policy?.deny ?? [])],
    },
    approvals: { timeoutMs: 60_000, onTimeout: 'deny', ...changes.approvals },
    limits: { turns: 50, toolCalls: 100, activeMs: 300_000, tokens: 20_000_000, costUsd: 20, ...changes.limits },
    timeouts: {
      thinkingMs: 60_000,
      modelAttemptMs: 30_000,
      actingMs: 60_000,
      pausedMs: 60_000,
      finishingMs: 20_000,
      planningMs: 60_000,
      reflectingMs: 60_000,
      heartbeatMs: 5_000,
      ...changes.timeouts,
    },
  };
}

function liveRun(client: Client, spec: RunSpec): LiveRun {
  const { runId } = spec;
  const read = async (): Promise<Reading> => await readRun(client, runId);
  return {
    runId,
    spec,
    handle: client.workflow.getHandle(runId),
    read,
    result: async () => await readRunToEnd(client, runId),
    async until(condition) {
      for (;;) {
        const reading = await read();
        if (reading.kind === 'live' && condition(reading.view)) return reading.view;
        if (reading.kind === 'ended' || reading.kind === 'gone')
          throw new Error(`Cannot wait for "${runId}": it is ${JSON.stringify(reading)}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    events: async () =>
      (await client.workflow.getHandle(runId).query<{ events: RunEvent[] }, [unknown]>('events', { after: 0 })).events,
  };
}

/** Replays the whole chain of a run with the current code; throws where they differ. */
export async function replay(client: Client, runId: string): Promise<void> {
  for await (const info of client.workflow.list({ query: `WorkflowId = '${runId}'` })) {
    const history = await client.workflow.getHandle(runId, info.runId).fetchHistory();
    await Worker.runReplayHistory({ ...workflowSource(inject('workflowBundle')), dataConverter }, history, runId);
  }
}

async function tempFolder(name: string): Promise<string> {
  return await mkdtemp(join(tmpdir(), `nightshift-${name}-`));
}

function ignore(): void {
  // The logs of workers in tests are noise: what matters is asserted.
}

const noWorker: RunningWorker = { id: 'none', ended: Promise.resolve(), shutdown: async () => await Promise.resolve() };
