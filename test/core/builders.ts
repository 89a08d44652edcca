import type { CallModelResult } from '../../src/contract/activities.ts';
import { controlDefinitions } from '../../src/contract/control-tools.ts';
import type { AssistantBlock, StopReason } from '../../src/contract/messages.ts';
import type { Verdict } from '../../src/contract/run.ts';
import type { RunSpec } from '../../src/contract/spec.ts';
import type { ToolCallResult } from '../../src/contract/tool-calls.ts';
import { apply, type Observation } from '../../src/core/apply.ts';
import { begin } from '../../src/core/begin.ts';
import { decide } from '../../src/core/decide.ts';
import { newRun, type Run } from '../../src/core/run.ts';

/** The clock of these tests: milliseconds, any will do. */
export const T0 = 1_800_000_000_000;

const tool = { description: '', inputSchema: {}, timeoutMs: 1_000, local: false } as const;

const spec: RunSpec = {
  runId: 'r1',
  title: 'test',
  agent: { name: 'tester', source: '', digest: 'sha256:0' },
  model: { id: 'offline-test', maxTokens: 1_000, contextTokens: 200_000, offline: true },
  system: 'You test.',
  task: 'do it',
  tools: [
    { ...tool, name: 'read', effect: 'read' },
    { ...tool, name: 'write', effect: 'idempotent' },
    { ...tool, name: 'bash', effect: 'unsafe' },
    ...controlDefinitions,
  ],
  policy: { allow: ['write'], ask: [], deny: [] },
  planning: false,
  critique: { when: 'never', redoMax: 3 },
  approvals: { timeoutMs: 60_000, onTimeout: 'deny' },
  limits: { turns: 50, toolCalls: 100, activeMs: 300_000, tokens: 1_000_000, costUsd: 10 },
  timeouts: {
    thinkingMs: 60_000,
    modelAttemptMs: 60_000,
    actingMs: 60_000,
    pausedMs: 60_000,
    finishingMs: 60_000,
    planningMs: 60_000,
    reflectingMs: 60_000,
    heartbeatMs: 15_000,
  },
  workspace: '/w',
  startedBy: 'test',
};

export function fresh(changes: Partial<RunSpec> = {}): Run {
  return newRun({ ...spec, ...changes }, T0);
}

/** A reply of the model: text, and calls written as `[tool, input]`. Ids are `c<turn>-<index>`. */
export function reply(
  turn: number,
  text: string,
  calls: readonly [string, unknown][] = [],
  stopReason?: StopReason,
): Observation {
  const uses = calls.map(([name, input], index): AssistantBlock => ({
    type: 'tool_use',
    id: `c${turn}-${index}`,
    name,
    input,
  }));
  const content: AssistantBlock[] = [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...uses];
  const result: CallModelResult = {
    message: { role: 'assistant', content },
    stopReason: stopReason ?? (uses.length > 0 ? 'tool_use' : 'end_turn'),
    usage: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, costUsd: 0.01 },
    calls: calls.map(([name], index) => ({
      id: `c${turn}-${index}`,
      digest: `sha256:${turn}-${index}`,
      summary: name,
    })),
    model: 'offline-test',
    requestId: null,
    durationMs: 100,
  };
  return { kind: 'reply', result };
}

/** The plan the model writes before anything is done. */
export function planOf(turn: number): Observation {
  const written = reply(turn, 'first this, then that');
  if (written.kind !== 'reply') throw new Error('unreachable');
  return { kind: 'plan', result: written.result };
}

/** What a critique says. */
export function verdict(action: Verdict['action'], reason = 'because', confidence = 80): Observation {
  return { kind: 'critique', result: words(`Here it is: ${JSON.stringify({ action, reason, confidence })}`) };
}

/** What a model says that screens the work. */
export function words(text: string): CallModelResult {
  const said = reply(0, text);
  if (said.kind !== 'reply') throw new Error('unreachable');
  return said.result;
}

/** The moment at which calls begin. */
export function started(...callIds: string[]): (run: Run) => Run {
  return (run) => begin(run, { kind: 'act', calls: run.calls.filter(({ id }) => callIds.includes(id)) }, T0);
}

export function result(callId: string, content = 'ok', changes: Partial<ToolCallResult> = {}): Observation {
  return { kind: 'result', callId, result: { status: 'success', content, durationMs: 10, ...changes } };
}

/** Applies observations one after another, each a millisecond later. */
export function after(run: Run, ...steps: readonly (Observation | ((run: Run) => Run))[]): Run {
  return steps.reduce<Run>(
    (next, step, index) => (typeof step === 'function' ? step(next) : apply(next, step, T0 + index + 1)),
    run,
  );
}

/** What comes next, in a word or two. */
export function next(run: Run): string {
  const decision = decide(run, T0);
  if (decision.kind === 'end') return `end ${decision.result.stopReason}`;
  if (decision.kind === 'think') return `think ${decision.purpose}`;
  return decision.kind === 'reflect' ? `reflect ${decision.on}` : decision.kind;
}

/** A turn that reads something, each turn something else. */
export function looking(turn: number): readonly (Observation | ((run: Run) => Run))[] {
  return [reply(turn, '', [['read', { turn }]]), started(`c${turn}-0`), result(`c${turn}-0`, `found ${turn}`)];
}

/** The newest words in the transcript; empty when it ends in something else. */
export function lastText(run: Run): string {
  const block = run.messages.at(-1)?.content.at(-1);
  return block?.type === 'text' ? block.text : '';
}
