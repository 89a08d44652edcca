import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { join } from 'node:path';
import { Worker } from '@temporalio/worker';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { answerApproval, cancelRun, pauseRun, resumeRun, sendMessage } from '../../src/client.ts';
import { faults } from '../../src/models/offline/faults.ts';
import { steps } from '../../src/models/offline/scenario.ts';
import { dataConverter } from '../../src/temporal/data-converter.ts';
import { openHouse, type House, type LiveRun } from '../support/house.ts';
import { outputTool, stories as judgementStories } from '../support/judgement-stories.ts';
import { askingTool, lostTool } from '../support/uncertain-tools.ts';

/**
 * Histories of runs as earlier versions made them. They are never recorded anew: a change of the workflow that no
 * longer replays one would hold such a run in production for ever. New stories are added by
 * `NIGHTSHIFT_RECORD=<version> npm test -- test/workflows/histories.test.ts`.
 */
const FOLDER = join(import.meta.dirname, '..', 'histories');
const version = process.env['NIGHTSHIFT_RECORD'];

const kept = readdirSync(FOLDER).filter((name) => name.endsWith('.json.gz'));

test('there are recorded histories', () => {
  expect(kept.length).toBeGreaterThan(5);
});

test.each(kept)('%s replays with today’s workflow', async (name) => {
  const history = JSON.parse(gunzipSync(readFileSync(join(FOLDER, name))).toString()) as { events: unknown[] };
  await Worker.runReplayHistory(
    { workflowBundle: { codePath: inject('workflowBundle') }, dataConverter },
    history,
    name,
  );
});

const bash = { calls: [{ name: 'bash', input: { command: 'echo recorded' } }] };
const look = {
  thinking: 'look',
  calls: [
    { name: 'ls', input: {} },
    { name: 'glob', input: { pattern: '*' } },
  ],
};

const stories: Readonly<Record<string, (house: House) => Promise<LiveRun>>> = {
  async reads(house) {
    return await house.start(
      steps([look, { calls: [{ name: 'write_file', input: { path: 'a.txt', content: 'a' } }] }, { text: 'end' }]),
      { policy: { allow: ['write_file'] } },
    );
  },
  async approved(house) {
    const run = await house.start(steps([bash, { text: 'end' }]));
    const { approvals } = await run.until(({ state }) => state === 'awaiting_human');
    await answerApproval(house.client, run.runId, {
      id: approvals[0]!.id,
      digest: approvals[0]!.digest,
      decision: 'approve',
      by: 'ann',
    });
    return run;
  },
  async expired(house) {
    return await house.start(steps([bash, { text: 'end' }]), { approvals: { timeoutMs: 300 } });
  },
  async asked(house) {
    const run = await house.start(
      steps([{ calls: [{ name: 'ask_human', input: { question: 'Which?', options: ['a', 'b'] } }] }, { text: 'end' }]),
    );
    const { approvals } = await run.until(({ state }) => state === 'awaiting_human');
    await answerApproval(house.client, run.runId, { id: approvals[0]!.id, decision: 'answer', choice: '1', by: 'ann' });
    return run;
  },
  async 'paused-and-told'(house) {
    const run = await house.start(steps([bash, { text: 'end' }, { text: 'heard' }]));
    await run.until(({ state }) => state === 'awaiting_human');
    await sendMessage(house.client, run.runId, { by: 'ann', text: 'hello' });
    await pauseRun(house.client, run.runId, 'ann');
    const { approvals } = await run.until(({ state }) => state === 'paused');
    await answerApproval(house.client, run.runId, { id: approvals[0]!.id, decision: 'deny', by: 'ann' });
    await resumeRun(house.client, run.runId, 'ann');
    return run;
  },
  async parked(house) {
    const runId = 'recorded-parked';
    house.model.inject(`offline-${runId}`, faults.unauthorized());
    const run = await house.start(steps([{ text: 'end' }]), { runId });
    await run.until(({ parked }) => parked !== null);
    await resumeRun(house.client, run.runId, 'ann');
    return run;
  },
  async limited(house) {
    return await house.start(steps([look, look, look]), { limits: { turns: 2 } });
  },
  async compacted(house) {
    const runId = 'recorded-compacted';
    house.model.inject(`offline-${runId}`, [
      { kind: 'drip', pauseMs: 0 },
      { kind: 'drip', pauseMs: 0 },
      faults.promptTooLong(),
    ]);
    return await house.start((seen) => (seen.turn < 2 && seen.words.length < 1 ? look : { text: 'end' }), { runId });
  },
  async judged(house) {
    const verdict = (action: string): string => JSON.stringify({ action, reason: 'as reviewed', confidence: 80 });
    return await house.start(
      (seen) => {
        const isReview = seen.lastWords.includes('strict reviewer');
        if (isReview)
          return { text: verdict(seen.words.some((words) => words.includes('new plan')) ? 'complete' : 'replan') };
        return { thinking: 'hm', text: seen.summaryWanted ? 'the plan' : 'the answer' };
      },
      { planning: true, critique: { when: 'before_complete', redoMax: 2 } },
    );
  },
  async continued(house) {
    const run = await house.start(steps([bash, { text: 'end' }]));
    await run.until(({ state }) => state === 'awaiting_human');
    for (let sent = 0; sent < 4_200; sent += 100) {
      await Promise.all(Array.from({ length: 100 }, async () => await run.handle.signal('resume', { by: 'nobody' })));
    }
    const { approvals } = await run.until(({ continuations }) => continuations > 0);
    await answerApproval(house.client, run.runId, { id: approvals[0]!.id, decision: 'deny', by: 'ann' });
    return run;
  },
  async outcome(house) {
    const run = await house.start(steps([{ calls: [{ name: 'lost', input: {} }] }, { text: 'end' }]), {
      policy: { allow: ['lost'] },
      approvals: { unknownOutcome: 'ask' },
    });
    const { approvals } = await run.until(({ state }) => state === 'awaiting_human');
    const { id, digest } = approvals[0]!;
    await answerApproval(house.client, run.runId, { id, digest, decision: 'answer', choice: 'repeat', by: 'ann' });
    return run;
  },
  async 'asked-by-a-tool'(house) {
    const run = await house.start(steps([{ calls: [{ name: 'asking', input: {} }] }, { text: 'end' }]), {
      policy: { allow: ['asking'] },
    });
    const { approvals } = await run.until(({ state }) => state === 'awaiting_human');
    await answerApproval(house.client, run.runId, { id: approvals[0]!.id, decision: 'answer', choice: 'a', by: 'ann' });
    return run;
  },
  async 'todo-and-unattended'(house) {
    const items = [{ text: 'look', status: 'open' }];
    return await house.start(steps([{ calls: [{ name: 'todo', input: { items } }] }, bash, { text: 'end' }]), {
      policy: {
        mode: 'unattended',
        above: [{ layer: 'operator', source: 'op', allow: [], ask: [], deny: ['memory'] }],
      },
    });
  },
  async looped(house) {
    return await toldAs(house, 'a loop that a person stops');
  },
  async unsure(house) {
    return await toldAs(house, 'a critique that is not sure');
  },
  async delivered(house) {
    return await toldAs(house, 'declared outputs complete');
  },
  async checked(house) {
    return await toldAs(house, 'a completion check');
  },
  async leased(house) {
    const id = 'offline-recorded-leased';
    const model = { id, maxTokens: 2_000, contextTokens: 200_000, offline: false };
    const caps = [{ key: 'day:2026-11-21', tokens: 200_000 }];
    return await house.start(steps([look, { text: 'end' }]), {
      model,
      budget: { atCap: 'stop', ledger: 'recorded-ledger', caps },
    });
  },
  async hooked(house) {
    const hook = { command: 'cat > /dev/null', effect: 'idempotent', timeoutMs: 20_000 } as const;
    return await house.start(steps([look, { text: 'end' }]), {
      hooks: (['before_model', 'before_tool', 'after_tool', 'before_stop'] as const).map((on) => ({
        ...hook,
        name: on,
        on,
      })),
    });
  },
  async 'compacted-by-model'(house) {
    return await house.start(
      (seen) => (seen.aside === null && seen.turn < 9 ? { ...look, text: 'words '.repeat(400) } : { text: 'end' }),
      {
        model: { id: 'offline-recorded-compacted-by-model', maxTokens: 2_000, contextTokens: 8_000, offline: false },
        compaction: { windowShare: 0.6, keptShare: 0.6, by: 'model' },
      },
    );
  },
  async cancelled(house) {
    const run = await house.start(steps([{ calls: [{ name: 'bash', input: { command: 'sleep 60' } }] }]), {
      policy: { allow: ['bash'] },
    });
    await run.until(({ calls }) => calls.some(({ status }) => status === 'executing'));
    await cancelRun(house.client, run.runId);
    return run;
  },
};

/** A run as one of the stories of judgement tells it. */
async function toldAs(house: House, name: string): Promise<LiveRun> {
  const { script, changes, act } = judgementStories[name]!;
  const run = await house.start(script, changes);
  await act?.(house, run);
  return run;
}

describe.runIf(version !== undefined)('recording', () => {
  let house: House;
  beforeAll(async () => {
    house = await openHouse({ tools: [lostTool, askingTool], definitions: [outputTool] });
  });
  afterAll(async () => {
    await house.close();
  });
  test.each(Object.entries(stories))('records %s', async (name, tell) => {
    const run = await tell(house);
    await run.result();
    const history = historyToJSON(await run.handle.fetchHistory());
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(join(FOLDER, `${version}-${name}.json.gz`), gzipSync(history));
  });
});
