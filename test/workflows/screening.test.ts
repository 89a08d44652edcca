import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ModelChoice } from '../../src/contract/terms.ts';
import { aside } from '../../src/models/offline/scenarios/aside.ts';
import type { Conversation } from '../../src/models/offline/conversation.ts';
import type { Scenario } from '../../src/models/offline/scenario.ts';
import { openHouse, replay, type House, type LiveRun, type SpecChanges } from '../support/house.ts';

let house: House;
let count = 0;

beforeAll(async () => {
  house = await openHouse();
});
afterAll(async () => {
  await house.close();
});

interface Screened {
  readonly run: LiveRun;
  readonly light: string;
  /** What the screening model was asked, in order. */
  readonly asked: readonly Conversation[];
}

const PRICE = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 };

/** A run beside which a lighter model of its own name screens. */
async function screened(script: Scenario, judge: Scenario, changes: SpecChanges = {}): Promise<Screened> {
  const light = `offline-light-${process.pid}-${(count += 1)}`;
  const asked: Conversation[] = [];
  house.model.script(light, (seen) => {
    asked.push(seen);
    return judge(seen);
  });
  const screening: ModelChoice = { id: light, maxTokens: 4_000, contextTokens: 200_000, offline: false, price: PRICE };
  return { run: await house.start(script, { screening, ...changes }), light, asked };
}

const verdict = (action: string, reason: string): { text: string } => ({
  text: JSON.stringify({ action, reason, confidence: 90 }),
});

const worker: Scenario = (seen) =>
  seen.words.some((words) => words.includes('the files were not counted'))
    ? { thinking: 'right', text: 'There are 2 files.' }
    : seen.results.length === 0
      ? { thinking: 'look', calls: [{ name: 'ls', input: {} }] }
      : { thinking: 'enough', text: 'I looked.' };

test('a lighter model judges an account of the work, and its words send the run back', async () => {
  const { run, light, asked } = await screened(
    worker,
    (seen) =>
      seen.lastWords.includes('There are 2 files')
        ? verdict('complete', 'counted')
        : verdict('continue', 'the files were not counted'),
    { critique: { when: 'before_complete', redoMax: 3 } },
  );
  expect(await run.result()).toMatchObject({ outcome: { status: 'completed' }, answer: 'There are 2 files.' });
  expect(asked.map((seen) => [seen.aside, seen.tools.length, seen.format === null])).toEqual([
    ['critique', 0, false],
    ['critique', 0, false],
  ]);
  const [first] = asked;
  expect(first?.lastWords).toContain('| Do the test.');
  expect(first?.lastWords).toContain('strict reviewer');
  expect(house.model.requests(run.spec.model.id).every(({ body }) => Array.isArray(body['tools']))).toBe(true);
  const spent = (await run.result()).totals.spending?.find(({ purpose }) => purpose === 'critique');
  expect(spent).toMatchObject({ model: light, calls: 2 });
  expect(spent?.usage.costUsd).toBeGreaterThan(0);
  await replay(house.client, run.runId);
});

test('a lighter model is asked whether the task is done', async () => {
  const { run, asked } = await screened(
    worker,
    (seen) => {
      const complete = seen.lastWords.includes('There are 2 files');
      return { text: JSON.stringify({ complete, reason: 'the files were not counted', confidence: 90 }) };
    },
    { completionCheck: true },
  );
  expect(await run.result()).toMatchObject({ outcome: { status: 'completed', reason: 'completion_check' } });
  expect(asked.map((seen) => seen.aside)).toEqual(['completion', 'completion']);
  await replay(house.client, run.runId);
});

/** Looks until its past has been summed up, then says what it was told of it. */
const looker: Scenario = (seen) => {
  if (seen.compaction !== null) return { text: `summed up ${seen.results.length} results` };
  const past = seen.summary || seen.words.find((words) => words.includes('summed up'));
  return past === undefined
    ? { thinking: `look ${seen.turn}`, text: 'x'.repeat(2_000), calls: [{ name: 'ls', input: {} }] }
    : { thinking: 'done', text: `I remember: ${past}` };
};

function small(id: string): SpecChanges {
  return {
    runId: id,
    model: { id: `offline-${id}`, maxTokens: 4_000, contextTokens: 9_000, offline: false },
    compaction: { windowShare: 0.6, keptShare: 0.5, by: 'api' },
  };
}

test('old turns become a summary that the API signs, and the run goes on behind it', async () => {
  const { run, asked } = await screened(looker, aside, small(`signed-${process.pid}`));
  expect((await run.result()).answer).toMatch(/^I remember: summed up \d+ results$/);
  const compacted = (await run.events()).filter(({ type }) => type === 'run.compacted');
  expect(compacted).toMatchObject([{ by: 'api' }]);
  const betas = house.model.requests(run.spec.model.id).map(({ headers }) => headers['anthropic-beta']);
  expect(betas.slice(-2)).toEqual(['compact-2026-09-04', 'compact-2026-09-04']);
  expect(asked).toEqual([]);
  await replay(house.client, run.runId);
});

test('a summary that the API cuts short is written by the lighter model instead', async () => {
  const cut: Scenario = (seen) =>
    seen.compaction === null ? looker(seen) : { text: 'half', stopReason: 'max_tokens' };
  const { run, asked } = await screened(cut, () => ({ text: 'summed up by another' }), small(`cut-${process.pid}`));
  expect((await run.result()).answer).toContain('summed up by another');
  expect((await run.events()).filter(({ type }) => type === 'run.compacted')).toMatchObject([{ by: 'model' }]);
  expect(asked.map((seen) => [seen.aside, seen.format])).toEqual([['compact', null]]);
  await replay(house.client, run.runId);
});
