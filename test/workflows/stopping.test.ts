import { afterAll, beforeAll, expect, test } from 'vitest';
import { missingFrom, nameOf, outputTool, stories } from '../support/judgement-stories.ts';
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
  const run = await house.start(story.script, { ...story.changes, runId });
  await story.act?.(house, run);
  const result = await run.result();
  expect(result.stopReason).toBe(story.ends);
  expect(missingFrom((await run.events()).map(nameOf), story.seen ?? [])).toEqual([]);
  await replay(house.client, runId);
});
