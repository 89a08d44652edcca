import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  approvalsOf,
  cancelRun,
  findRun,
  listApprovals,
  listRuns,
  readRun,
  sendMessage,
  startRun,
  StartRefused,
  watchRun,
  type Watched,
} from '../../src/client.ts';
import { steps, type Scenario } from '../../src/models/offline/scenario.ts';
import { startWorker } from '../../src/worker.ts';
import { openHouse, type House } from '../support/house.ts';
import { eventually } from '../support/recorder.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(async () => {
  await house.close();
});

const ask: Scenario = steps([{ calls: [{ name: 'bash', input: { command: 'echo x' } }] }, { text: 'end' }]);

async function follow(runId: string, live = false): Promise<readonly Watched[]> {
  const seen: Watched[] = [];
  for await (const item of watchRun(house.client, runId, { live })) seen.push(item);
  return seen;
}

test('whoever follows a run sees each event once, in order, and then its end', async () => {
  const run = await house.start(steps([{ calls: [{ name: 'ls', input: {} }] }, { text: 'hello' }]));
  const seen = await follow(run.runId);
  const events = seen.flatMap((item) => (item.kind === 'event' ? [item.event] : []));
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(events.map(({ type }) => type)).toEqual([
    'run.started',
    'run.state',
    'model.replied',
    'tool.proposed',
    'run.state',
    'tool.started',
    'tool.ended',
    'run.state',
    'model.replied',
    'run.ended',
  ]);
  expect(seen.at(-1)).toMatchObject({
    kind: 'end',
    reading: { kind: 'ended', closedAs: 'COMPLETED', memo: { result: { answer: 'hello' } } },
  });
});

test('the words of a model and the output of a command can be read while they come, at no cost in history', async () => {
  const words = 'one two three four five six seven eight nine ten '.repeat(6);
  const run = await house.start(
    steps([
      {
        text: words,
        pauseMs: 60,
        calls: [{ name: 'bash', input: { command: 'for i in 1 2 3 4 5; do echo line $i; sleep 0.4; done' } }],
      },
      { text: 'end' },
    ]),
    { policy: { allow: ['bash'] } },
  );
  const seen = await follow(run.runId, true);
  const live = seen.flatMap((item) => (item.kind === 'live' ? [item.live] : []));
  expect(live.some(({ kind, tail }) => kind === 'text' && words.includes(tail.slice(0, 20)))).toBe(true);
  expect(live.some(({ kind, tail }) => kind === 'output' && tail.startsWith('line 1'))).toBe(true);
  const { historyLength } = await run.handle.describe();
  expect(historyLength).toBeLessThan(40);
});

test('without a worker a run is read from what it wrote down, and the reading says so', async () => {
  const alone = await openHouse({ worker: false });
  try {
    const worker = await startWorker(alone.workerOptions);
    const run = await alone.start(ask);
    await run.until(({ state }) => state === 'awaiting_human');
    await worker.shutdown();
    const reading = await readRun(alone.client, run.runId);
    expect(reading).toMatchObject({
      kind: 'asleep',
      memo: { state: 'awaiting_human', approvals: [{ tool: 'bash', arguments: { command: 'echo x' } }] },
    });
    expect(await approvalsOf(alone.client, run.runId)).toHaveLength(1);
  } finally {
    await alone.close();
  }
});

test('a run that does not exist is gone, never a guess', async () => {
  expect(await readRun(house.client, 'no-such-run')).toEqual({ kind: 'gone' });
  expect(await findRun(house.client, 'no-such-run')).toEqual({ kind: 'none' });
  expect(await sendMessage(house.client, 'no-such-run', { by: 'ann', text: 'hi' })).toMatchObject({ kind: 'gone' });
  expect(await follow('no-such-run')).toEqual([{ kind: 'end', reading: { kind: 'gone' } }]);
});

test('whoever follows a run that is terminated is told so, although it said no last word', async () => {
  const run = await house.start(ask);
  await run.until(({ state }) => state === 'awaiting_human');
  const following = follow(run.runId);
  await run.handle.terminate('by an operator');
  expect((await following).at(-1)).toMatchObject({ kind: 'end', reading: { kind: 'ended', closedAs: 'TERMINATED' } });
});

test('an ended run takes nothing more, and a cancel of it is not called a success', async () => {
  const run = await house.start(steps([{ text: 'end' }]));
  await run.result();
  expect(await sendMessage(house.client, run.runId, { by: 'ann', text: 'hi' })).toMatchObject({ kind: 'gone' });
  expect(await cancelRun(house.client, run.runId)).toMatchObject({ kind: 'gone' });
});

test('a second start with the same id is refused, also after the run has ended', async () => {
  const run = await house.start(steps([{ text: 'end' }]));
  await run.result();
  await expect(startRun(house.client, run.spec, house.taskQueue)).rejects.toThrow(StartRefused);
});

test('a spec larger than a run may carry is refused before it is sent', async () => {
  const run = await house.start(steps([{ text: 'end' }]));
  const spec = { ...run.spec, runId: `${run.runId}-large`, system: 'x'.repeat(500_000) };
  await expect(startRun(house.client, spec, house.taskQueue)).rejects.toThrow(/at most/u);
  expect(await readRun(house.client, spec.runId)).toEqual({ kind: 'gone' });
});

test('lists filter by agent, state and whom a run waits for, and names may be cut short', async () => {
  const run = await house.start(ask, { agent: { name: `lister-${house.taskQueue}`, source: '', digest: 'sha256:0' } });
  await run.until(({ state }) => state === 'awaiting_human');
  const filter = `NightshiftAgent = 'lister-${house.taskQueue}' AND NightshiftState = 'awaiting_human' AND NightshiftWaitingFor = 'approve: bash'`;
  await eventually(async () => (await listRuns(house.client, { limit: 5, filter })).length === 1);
  expect((await listApprovals(house.client)).some(({ runId }) => runId === run.runId)).toBe(true);
  expect(await findRun(house.client, run.runId)).toEqual({ kind: 'run', runId: run.runId });
  await cancelRun(house.client, run.runId);
  await run.result();
  await eventually(
    async () =>
      (await listRuns(house.client, { limit: 5, filter: filter.split(' AND ')[0]! }))[0]?.memo?.state === 'cancelled',
  );
});
