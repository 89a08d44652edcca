import type { RunSpec } from '../src/contract/spec.ts';
import { createRegistry } from '../src/tools/registry.ts';
import { readTool, unsafeTool } from './bench-tools.ts';
import { createBuiltinTools } from '../src/tools/builtin.ts';
import { createSandbox } from '../src/tools/sandbox/sandbox.ts';

/** A spec without limits that matter, whose tools are the benchmark's and the built-in ones. */
export function benchSpec(runId: string, workspace: string): RunSpec {
  const registry = createRegistry([
    ...createBuiltinTools({
      environment: {},
      sandbox: createSandbox({ environment: {} }),
      memoryFolder: () => workspace,
    }),
    readTool,
    unsafeTool,
  ]);
  return {
    runId,
    title: runId,
    agent: { name: 'bench', source: '', digest: 'sha256:0' },
    model: { id: 'offline-bench', maxTokens: 8_000, contextTokens: 1_000_000_000, offline: false },
    system: 'You are measured.',
    task: 'Be quick.',
    tools: registry.definitions(registry.names),
    policy: { allow: ['bench_unsafe', 'bash'], ask: ['write_file'], deny: [] },
    planning: false,
    critique: { when: 'never', redoMax: 3 },
    approvals: { timeoutMs: 3_600_000, onTimeout: 'deny' },
    limits: { turns: 1_000_000, toolCalls: 1_000_000, activeMs: 1e12, tokens: 1e15, costUsd: 1e9 },
    timeouts: {
      thinkingMs: 600_000,
      modelAttemptMs: 600_000,
      actingMs: 600_000,
      pausedMs: 600_000,
      finishingMs: 60_000,
      planningMs: 60_000,
      reflectingMs: 60_000,
      heartbeatMs: 15_000,
    },
    workspace,
    startedBy: 'bench',
  };
}
