import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import { SPEC_BYTES_MAX, TASK_BYTES_MAX } from '../contract/limits.ts';
import { MEMO_KEY, WORKFLOW_TYPE } from '../contract/names.ts';
import type { RunMemo } from '../contract/run.ts';
import { runSpecSchema, type RunSpec } from '../contract/spec.ts';

/** A run cannot be started as asked. */
export class StartRefused extends Error {
  readonly reason: 'exists' | 'too_large' | 'invalid';

  constructor(reason: StartRefused['reason'], message: string) {
    super(message);
    this.name = 'StartRefused';
    this.reason = reason;
  }
}

/**
 * Starts a run. The id belongs to it for ever, so a second start with the same id is refused instead of doing the
 * work twice.
 *
 * @throws {StartRefused} the id is taken, or the spec is invalid or larger than a run may carry
 */
export async function startRun(client: Client, spec: RunSpec, taskQueue: string): Promise<void> {
  guard(spec);
  try {
    await client.workflow.start(WORKFLOW_TYPE, {
      workflowId: spec.runId,
      taskQueue,
      args: [{ spec }],
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      workflowIdConflictPolicy: 'FAIL',
      memo: { [MEMO_KEY]: memoAtStart(spec) },
      typedSearchAttributes: [
        { key: { name: 'NightshiftAgent', type: 'KEYWORD' }, value: spec.agent.name },
        { key: { name: 'NightshiftState', type: 'KEYWORD' }, value: 'queued' },
      ],
      staticSummary: `${spec.agent.name}: ${spec.title}`.slice(0, 190),
      staticDetails: detailsAtStart(spec),
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    throw new StartRefused('exists', `Cannot start "${spec.runId}": a run with this id exists already`);
  }
}

function guard(spec: RunSpec): void {
  const parsed = runSpecSchema.safeParse(spec);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new StartRefused('invalid', `Cannot start "${spec.runId}": ${issue?.path.join('.')}: ${issue?.message}`);
  }
  const task = Buffer.byteLength(JSON.stringify(spec.task));
  if (task > TASK_BYTES_MAX)
    throw tooLarge(spec, `the task has ${task} bytes, at most ${TASK_BYTES_MAX} fit; put it into a file`);
  const whole = Buffer.byteLength(JSON.stringify(spec));
  if (whole > SPEC_BYTES_MAX)
    throw tooLarge(spec, `agent, tools and task have ${whole} bytes together, at most ${SPEC_BYTES_MAX} fit`);
}

function tooLarge(spec: RunSpec, why: string): StartRefused {
  return new StartRefused('too_large', `Cannot start "${spec.runId}": ${why}`);
}

/** So that a run can be read before any worker has seen it. */
function memoAtStart({ title, agent, model }: RunSpec): RunMemo {
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, costUsd: 0 };
  return {
    title,
    agent: agent.name,
    model: model.id,
    offline: model.offline,
    state: 'queued',
    now: 'queued until a worker takes it',
    totals: { turns: 0, toolCalls: 0, activeMs: 0, usage, unpricedCalls: 0, denied: 0, expired: 0, unknown: 0 },
    approvals: [],
    result: null,
  };
}

function detailsAtStart({ agent, model, workspace, startedBy, task }: RunSpec): string {
  const lines = [
    `**Agent** ${agent.name} · \`${agent.digest.slice(0, 19)}\`${agent.source === '' ? '' : ` · ${agent.source}`}`,
    `**Model** ${model.id}${model.offline ? ' — **offline model**, no model API is configured' : ''}`,
    `**Workspace** \`${workspace}\``,
    `**Started by** ${startedBy}`,
    '',
    task.slice(0, 4_000),
  ];
  return lines.join('\n\n');
}
