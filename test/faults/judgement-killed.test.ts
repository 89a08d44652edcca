import { rm } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { changesOf, missingFrom, nameOf, outputTool, stories, type Story } from '../support/judgement-stories.ts';
import type { Scenario } from '../../src/models/offline/scenario.ts';
import { openHouse, replay, type House, type LiveRun } from '../support/house.ts';
import { compileWorker, endWorkers, spawnWorker } from '../support/worker-process.ts';

/** Kills, at most as many as on a slow machine, and how many milliseconds a worker lives. */
const KILLS = 6;
const KILLS_MAX = 20;
const LIFE_MS = 1_500;

/** Milliseconds between two pieces of a reply that is held up; less than the worker takes for silence. */
const HELD_PAUSE_MS = 600;

let house: House;
let folder: string;
beforeAll(async () => {
  [house, folder] = await Promise.all([openHouse({ worker: false, definitions: [outputTool] }), compileWorker()]);
});
afterEach(endWorkers);
afterAll(async () => {
  await house.close();
  await rm(folder, { recursive: true, force: true });
});

interface Told {
  readonly story: Story;
  readonly run: LiveRun;
}

/** The runs that were in the middle of something when a worker was killed. */
const struck = new Set<string>();

/** Holds every reply up until the run was struck, so that on no machine it is over before. */
function heldUntilStruck(script: Scenario, runId: string): Scenario {
  return (seen) => (struck.has(runId) ? script(seen) : { ...script(seen), pauseMs: HELD_PAUSE_MS });
}

async function begin([name, story]: [string, Story]): Promise<Told> {
  const runId = `killed-${name.replaceAll(/[^a-z]+/gu, '-')}-${house.taskQueue}`;
  const script = heldUntilStruck(story.script, runId);
  return { story, run: await house.start(script, { ...changesOf(story, house), runId }) };
}

/** Whether the run is open and has done something. */
async function isUnderWay({ run }: Told): Promise<boolean> {
  const { status, historyLength } = await run.handle.describe();
  return status.name === 'RUNNING' && historyLength > 3;
}

test('whatever ends a run, a worker killed in the middle changes neither its end nor what led to it', async () => {
  const told = await Promise.all(Object.entries(stories).map(begin));
  const acts = told.map(async ({ story, run }) => await story.act?.(house, run));
  const allStruck = (): boolean => struck.size === told.length;
  for (let kills = 0; kills < KILLS || (kills < KILLS_MAX && !allStruck()); kills += 1) {
    const worker = await spawnWorker(folder, house.workerOptions);
    await new Promise((resolve) => setTimeout(resolve, LIFE_MS));
    const under = await Promise.all(told.map(async (one) => ((await isUnderWay(one)) ? [one.run.runId] : [])));
    await worker.kill();
    for (const id of under.flat()) struck.add(id);
  }
  await spawnWorker(folder, house.workerOptions);
  await Promise.all(acts);
  const ends = await Promise.all(told.map(async ({ run }) => (await run.result()).stopReason));
  expect(ends).toEqual(told.map(({ story }) => story.ends));
  for (const { story, run } of told) {
    expect([run.runId, ...missingFrom((await run.events()).map(nameOf), story.seen ?? [])]).toEqual([run.runId]);
    await replay(house.client, run.runId);
  }
  expect([...struck].toSorted()).toEqual(told.map(({ run }) => run.runId).toSorted());
}, 300_000);
