import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Scenario } from '../../src/models/offline/scenario.ts';
import { openHouse, replay, type House } from '../support/house.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(async () => {
  await house.close();
});

const verdict = (action: string, reason: string): { text: string } => ({
  text: JSON.stringify({ action, reason, confidence: 90 }),
});

test('a run plans, is sent back by a critique, plans anew, and completes; each state is seen and it replays', async () => {
  const script: Scenario = (seen) => {
    if (seen.lastWords.includes('strict reviewer')) {
      return seen.words.some((words) => words.includes('Write a new plan'))
        ? verdict('complete', 'all done')
        : verdict('replan', 'the plan forgot the tests');
    }
    if (seen.summaryWanted) return { thinking: 'plan', text: `plan ${seen.words.length}` };
    if (seen.lastWords.includes('carry it out')) return { thinking: 'go', calls: [{ name: 'ls', input: {} }] };
    return { thinking: 'end', text: `answer after ${seen.results.length} results` };
  };
  const run = await house.start(script, { planning: true, critique: { when: 'before_complete', redoMax: 3 } });
  expect(await run.result()).toMatchObject({ outcome: { status: 'completed' }, answer: 'answer after 2 results' });
  const events = await run.events();
  const states = events.flatMap((event) => (event.type === 'run.state' ? [event.state] : []));
  expect(states).toEqual([
    'planning',
    'thinking',
    'acting',
    'thinking',
    'reflecting',
    'planning',
    'thinking',
    'acting',
    'thinking',
    'reflecting',
  ]);
  expect(events.filter(({ type }) => type === 'plan.made')).toHaveLength(2);
  await replay(house.client, run.runId);
});

test('while a plan is made or work is judged, the query says so', async () => {
  const script: Scenario = (seen) => ({
    text: seen.lastWords.includes('strict reviewer')
      ? '{"action":"complete","reason":"ok","confidence":99}'
      : 'words '.repeat(20),
    pauseMs: 40,
  });
  const run = await house.start(script, { planning: true, critique: { when: 'before_complete', redoMax: 1 } });
  expect((await run.until(({ state }) => state === 'planning')).now).toBe('the model makes a plan');
  expect((await run.until(({ state }) => state === 'reflecting')).now).toContain('judged');
  expect((await run.result()).outcome.status).toBe('completed');
});

test('a critique that the model API does not answer in time does not hold the run', async () => {
  const runId = 'critique-late';
  const run = await house.start(
    (seen) => (seen.lastWords.includes('strict reviewer') ? { text: 'never read', pauseMs: 5_000 } : { text: 'done' }),
    {
      runId,
      critique: { when: 'before_complete', redoMax: 1 },
      timeouts: { reflectingMs: 500 },
    },
  );
  expect(await run.result()).toMatchObject({ outcome: { status: 'completed' }, answer: 'done' });
});

test('the plan is made by the agent that plans, with its own words and model, and told to the one that works', async () => {
  const model = { id: `planner-${house.taskQueue}`, maxTokens: 4_000, contextTokens: 200_000, offline: false };
  house.model.script(model.id, (seen) => ({ text: `1. look (${seen.system}, ${seen.tools.length} tools)` }));
  const run = await house.start((seen) => ({ text: seen.words.join(' | ') }), {
    planning: true,
    planner: { name: 'plan', system: 'You plan.', model },
  });
  const result = await run.result();
  expect(result.answer).toContain('made by the agent "plan":\n\n1. look (You plan., 0 tools)');
  expect(result.totals.spending?.map(({ purpose, model: used }) => [purpose, used === model.id])).toEqual([
    ['plan', true],
    ['turn', false],
  ]);
  await replay(house.client, run.runId);
});
