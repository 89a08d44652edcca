import { afterAll, beforeAll, expect, test } from 'vitest';
import { searchAttributeKeys } from '../../src/temporal/search-attributes.ts';
import { changesOf, missingFrom, nameOf, outputTool, stories } from '../support/judgement-stories.ts';
import { openHouse, replay, type House } from '../support/house.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse({ definitions: [outputTool] });
});
afterAll(async () => {
  await house.close();
});

test.concurrent.each(Object.entries(stories))('a run ends by %s, and its history replays', async (name, story) => {
  const runId = `story-${name.replaceAll(/[^a-z]+/gu, '-')}-${house.taskQueue}`;
  const run = await house.start(story.script, { ...changesOf(story, house), runId });
  await story.act?.(house, run);
  const result = await run.result();
  expect(result.stopReason).toBe(story.ends);
  expect(missingFrom((await run.events()).map(nameOf), story.seen ?? [])).toEqual([]);
  await replay(house.client, runId);
});

test('runs can be found in a list by how they ended, what a critique had done, and how they went round in circles', async () => {
  const named = ['a critique that says replan', 'a loop that nobody looks at'] as const;
  const runs = await Promise.all(
    named.map(async (name, index) => {
      const { script, changes } = stories[name]!;
      return await house.start(script, {
        loops: stories['a loop that nobody looks at']!.changes!.loops!,
        ...changes,
        runId: `listed-${index}-${house.taskQueue}`,
      });
    }),
  );
  await Promise.all(runs.map(async (run) => await run.result()));
  const listed = await Promise.all(runs.map(async ({ handle }) => (await handle.describe()).typedSearchAttributes));
  expect(listed.map((found) => found.get(searchAttributeKeys.stopReason))).toEqual(['answered', 'loop']);
  expect(listed[0]?.get(searchAttributeKeys.verdict)).toBe('replan');
  expect(listed[0]?.get(searchAttributeKeys.redone)).toBe(1);
  expect(listed[1]?.get(searchAttributeKeys.loop)).toBe('stop');
});
