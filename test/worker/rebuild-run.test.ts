import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { answerApproval } from '../../src/client.ts';
import type { RunEvent } from '../../src/contract/events.ts';
import type { Message } from '../../src/contract/messages.ts';
import { SIGNALS } from '../../src/contract/names.ts';
import { steps, type Scenario } from '../../src/models/offline/scenario.ts';
import { rebuildRun, RebuildFailed } from '../../src/worker/rebuild-run.ts';
import type { Rebuilt } from '../../src/worker/rebuild/rebuilt.ts';
import { fillerTool } from '../support/counting-tools.ts';
import { openHouse, type House, type LiveRun } from '../support/house.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse({ tools: [fillerTool] });
});
afterAll(async () => {
  await house.close();
});

const bash = { calls: [{ name: 'bash', input: { command: 'echo kept' } }] };

async function rebuilt(run: LiveRun): Promise<readonly Rebuilt[]> {
  const items: Rebuilt[] = [];
  for await (const item of rebuildRun(house.client, run.runId, { bundlePath: inject('workflowBundle') }))
    items.push(item);
  return items;
}

function only<Kind extends Rebuilt['kind']>(items: readonly Rebuilt[], kind: Kind): Extract<Rebuilt, { kind: Kind }>[] {
  return items.filter((item): item is Extract<Rebuilt, { kind: Kind }> => item.kind === kind);
}

function eventsOf(items: readonly Rebuilt[]): readonly RunEvent[] {
  return only(items, 'event').map(({ event }) => event);
}

/** Each transcript as it was between two compactions, put together from what was told of it once. */
function transcripts(items: readonly Rebuilt[]): readonly (readonly Message[])[] {
  const all: Message[][] = [[]];
  for (const item of items) {
    if (item.kind === 'segment') {
      const before = all[item.segment - 1] ?? [];
      const fresh = before.slice(0, item.head);
      before
        .slice(item.from)
        .forEach((message, offset) => (fresh[item.to + offset] = item.thinking ? message : withoutThinking(message)));
      all[item.segment] = fresh;
    } else if (item.kind === 'message') all[item.segment]![item.index] = item.message;
  }
  return all;
}

function withoutThinking(message: Message): Message {
  if (message.role === 'user') return message;
  return { ...message, content: message.content.filter(({ type }) => type !== 'thinking') };
}

/** A block that we do not know goes to the model as it came. */
function onTheWire({ role, content }: Message): string {
  return JSON.stringify({ role, content: content.map((block) => (block.type === 'other' ? block.block : block)) });
}

/** What the model server was sent for turns, a transcript a request. */
function sent(run: LiveRun): readonly string[] {
  return house.model
    .requests(run.spec.model.id)
    .filter(({ body }) => body['compaction'] === undefined && body['tools'] !== undefined)
    .map(({ body }) => JSON.stringify(body['messages']));
}

/** A run whose window is so small that it compacts every few turns. */
async function compactingRun(turns: number, by: 'rule' | 'model' | 'api'): Promise<LiveRun> {
  const script: Scenario = ({ results, tools, summaryWanted }) => {
    const done = Number(/#(\d+) /u.exec(results.at(-1)?.text ?? '')?.[1] ?? 0);
    if (summaryWanted || tools.length === 0) return { text: `an account of ${done}` };
    if (done >= turns) return { thinking: 'enough', text: 'read all' };
    const input = { bytes: 2_000, mark: `#${done + 1} ` };
    return { thinking: `about ${done}`, text: `next is ${done + 1}`, calls: [{ name: 'filler', input }] };
  };
  return await house.start(script, {
    model: { maxTokens: 8_000, contextTokens: 12_000, offline: false, id: `offline-compacting-${by}` },
    compaction: { windowShare: 0.6, keptShare: 0.6, by },
  });
}

test.each(['rule', 'model', 'api'] as const)(
  'every message the model was ever sent is told once, through all compactions by %s',
  async (by) => {
    const run = await compactingRun(30, by);
    expect(await run.result()).toMatchObject({ outcome: { status: 'completed' }, answer: 'read all' });
    const items = await rebuilt(run);
    const compactions = eventsOf(items).filter(({ type }) => type === 'run.compacted');
    expect(compactions.length).toBeGreaterThan(2);
    expect(new Set(compactions.map((event) => (event.type === 'run.compacted' ? (event.by ?? 'rule') : '')))).toEqual(
      new Set([by]),
    );
    expect(only(items, 'segment')).toHaveLength(compactions.length);
    const told = transcripts(items).map((messages) => messages.map(onTheWire));
    const beginnings = new Set(
      told.flatMap((messages) => messages.map((_, end) => `[${messages.slice(0, end + 1).join(',')}]`)),
    );
    const requests = sent(run);
    expect(requests.length).toBeGreaterThan(30);
    expect(requests.filter((request) => !beginnings.has(request))).toEqual([]);
    // Each reply is told once, with its thinking, although compactions kept some of them word for word.
    const thoughts = only(items, 'message').flatMap(({ message }) =>
      message.role === 'assistant'
        ? message.content.flatMap((block) => (block.type === 'thinking' ? [block.thinking] : []))
        : [],
    );
    expect(thoughts).toEqual([...Array.from({ length: 30 }, (_, index) => `about ${index}`), 'enough']);
  },
);

test('the events are those that the run told, from the first to the last', async () => {
  const run = await house.start(steps([bash, { text: 'end' }]), { policy: { allow: ['bash'] } });
  await run.result();
  const items = await rebuilt(run);
  expect(eventsOf(items)).toEqual(await run.events());
  expect(eventsOf(items).at(-1)?.type).toBe('run.ended');
  expect(items[0]).toEqual({ kind: 'spec', spec: run.spec });
  expect(items.at(-1)).toEqual({ kind: 'end', isOpen: false, executions: 1 });
});

test('a message stands behind the event of its reply, and results before the next step', async () => {
  const run = await house.start(steps([bash, { text: 'end' }]), { policy: { allow: ['bash'] } });
  await run.result();
  const order = (await rebuilt(run)).flatMap((item) => {
    if (item.kind === 'message') return [item.message.role];
    return item.kind === 'event' && /replied|ended|state/u.test(item.event.type) ? [item.event.type] : [];
  });
  const turn = ['model.replied', 'assistant', 'run.state', 'tool.ended', 'user', 'run.state'];
  expect(order).toEqual(['user', 'run.state', ...turn, 'model.replied', 'assistant', 'run.ended']);
});

/** A run of two executions: a flood of signals fills the history of the first. */
async function continuedRun(): Promise<LiveRun> {
  const run = await house.start(steps([{ thinking: 'look', ...bash }, { text: 'end' }]));
  await run.until(({ state }) => state === 'awaiting_human');
  for (let count = 0; count < 4_200; count += 100)
    await Promise.all(
      Array.from({ length: 100 }, async () => await run.handle.signal(SIGNALS.resume, { by: 'nobody' })),
    );
  const { approvals } = await run.until(({ continuations }) => continuations > 0);
  await answerApproval(house.client, run.runId, {
    id: approvals[0]!.id,
    digest: approvals[0]!.digest,
    decision: 'approve',
    by: 'ann',
  });
  await run.result();
  return run;
}

test(
  'a run that continued as new is told as one, and without its first execution as far as it is kept',
  { timeout: 240_000 },
  async () => {
    const run = await continuedRun();
    const whole = await rebuilt(run);
    const events = eventsOf(whole);
    const covered = events.length + only(whole, 'gap').reduce((sum, { from, to }) => sum + to - from + 1, 0);
    expect(covered).toBe(events.at(-1)?.seq);
    expect(new Set(events.map(({ seq }) => seq)).size).toBe(events.length);
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['run.started', 'run.continued', 'run.ended']),
    );
    expect(only(whole, 'message').map(({ segment, index }) => [segment, index])).toEqual(
      [0, 1, 2, 3].map((index) => [0, index]),
    );
    expect(whole.at(-1)).toEqual({ kind: 'end', isOpen: false, executions: 2 });

    const first = await deleteFirst(house.client, run.runId);
    const rest = await rebuilt(run);
    expect(rest[0]).toEqual({ kind: 'missing', execution: first });
    expect(only(rest, 'message')).toEqual(only(whole, 'message'));
    expect(eventsOf(rest).at(-1)).toEqual(events.at(-1));
    expect(rest.at(-1)).toEqual({ kind: 'end', isOpen: false, executions: 1 });
  },
);

async function deleteFirst(client: Client, workflowId: string): Promise<string> {
  const { namespace } = client.options;
  const { runId } = await client.workflow.getHandle(workflowId).describe();
  for await (const { runId: other } of client.workflow.list({ query: `WorkflowId = '${workflowId}'` })) {
    if (other === runId) continue;
    const execution = { workflowId, runId: other };
    await client.workflowService.deleteWorkflowExecution({ namespace, workflowExecution: execution });
    for (;;) {
      const history = client.workflow.getHandle(workflowId, other).fetchHistory();
      if (
        await history.then(
          () => false,
          () => true,
        )
      )
        return other;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  throw new Error('there is no earlier execution');
}

test('a run that goes on is told as far as it is', async () => {
  const run = await house.start(steps([bash, { text: 'end' }]));
  await run.until(({ state }) => state === 'awaiting_human');
  const items = await rebuilt(run);
  expect(eventsOf(items).at(-1)).toMatchObject({ type: 'run.state', state: 'awaiting_human' });
  expect(only(items, 'message')).toHaveLength(2);
  expect(items.at(-1)).toMatchObject({ isOpen: true });
  // Telling it changed nothing.
  expect((await run.read()).kind).toBe('live');
  await run.handle.cancel();
});

test('a run that no worker has taken up is told as nothing yet', async () => {
  const empty = await openHouse({ worker: false });
  try {
    const run = await empty.start(steps([]));
    expect(await rebuilt(run)).toEqual([{ kind: 'end', isOpen: true, executions: 1 }]);
    await run.handle.terminate();
  } finally {
    await empty.close();
  }
});

test(
  'code that does not replay a run is told as that, with what made it and what to do',
  { timeout: 240_000 },
  async () => {
    const { bundleWorkflowCode } = await import('@temporalio/worker');
    const { writeFile } = await import('node:fs/promises');
    const workflowsPath = join(import.meta.dirname, '..', 'support', 'changed-workflows.ts');
    const ignore = (): void => undefined;
    const logger = { log: ignore, trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore };
    const { code } = await bundleWorkflowCode({ workflowsPath, logger });
    const bundlePath = join(house.dataFolder, 'changed.js');
    await writeFile(bundlePath, code);
    const run = await house.start(steps([{ text: 'end' }]));
    await run.result();
    const rebuilding = rebuildRun(house.client, run.runId, { bundlePath }).next();
    await expect(rebuilding).rejects.toThrow(RebuildFailed);
    await expect(rebuilding).rejects.toThrow(
      /does not replay its history \(.+\)\. It was made by workers of the build/u,
    );
  },
);
