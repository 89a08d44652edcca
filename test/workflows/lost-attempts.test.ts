import { rm } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { cancelRun, resumeRun } from '../../src/client.ts';
import type { RunEvent } from '../../src/contract/events.ts';
import type { Usage } from '../../src/contract/messages.ts';
import { faults, type Fault } from '../../src/models/offline/faults.ts';
import { steps } from '../../src/models/offline/scenario.ts';
import { openHouse, replay, type House, type LiveRun } from '../support/house.ts';
import { eventually } from '../support/recorder.ts';
import { compileWorker, endWorkers, spawnWorker } from '../support/worker-process.ts';

const price = { input: 10, output: 100, cacheRead: 1, cacheWrite: 20 };
const long = 'word '.repeat(60).trim();
const hello = steps([{ thinking: 'hm', text: long }]);

/** In US dollars, at the price above. */
function worth({ input, output, cacheRead, cacheWrite }: Omit<Usage, 'costUsd'>): number {
  return (input * 10 + output * 100 + cacheRead + cacheWrite * 20) / 1_000_000;
}

function billedTo(house: House, { runId }: LiveRun): Usage {
  const billed = house.model.billed(`offline-${runId}`);
  return { ...billed, costUsd: expect.closeTo(worth(billed), 9) as number };
}

function problemsIn(events: readonly RunEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === 'model.problem' ? [event.problem] : []));
}

describe('with a worker that lives', () => {
  let house: House;
  beforeAll(async () => {
    house = await openHouse();
  });
  afterAll(async () => {
    await house.close();
  });

  async function start(name: string, fault: Fault | readonly Fault[]): Promise<LiveRun> {
    const runId = `${name}-${house.taskQueue}`;
    house.model.inject(`offline-${runId}`, fault);
    const model = { id: `offline-${runId}`, maxTokens: 8_000, contextTokens: 200_000, offline: false, price };
    return await house.start(hello, { runId, model });
  }

  test('attempts that are paid for again and again are stopped by the budget, and not by the clock', async () => {
    const runId = `in-vain-${house.taskQueue}`;
    const model = { id: `offline-${runId}`, maxTokens: 1_000, contextTokens: 200_000, offline: false, price };
    house.model.inject(
      model.id,
      Array.from({ length: 40 }, () => ({ kind: 'drop', afterEvents: 3 }) as const),
    );
    const budget = { atCap: 'stop' as const, caps: [] };
    const run = await house.start(hello, { runId, model, budget, limits: { costUsd: 0.1 } });
    const result = await run.result();
    expect(result).toMatchObject({ stopReason: 'cost', totals: { usage: billedTo(house, run), turns: 0 } });
    // What one call is reserved at, beyond the limit.
    expect(result.totals.usage.costUsd).toBeLessThan(0.1 + 0.2);
    await replay(house.client, run.runId);
  });

  const broken: [name: string, fault: Fault | readonly Fault[]][] = [
    ['breaks right after it began', { kind: 'drop', afterEvents: 1 }],
    ['breaks in mid-stream', { kind: 'drop', afterEvents: 12 }],
    ['ends early in good order', { kind: 'close', afterEvents: 12 }],
    [
      'tells an error inside the stream',
      { kind: 'error_event', afterEvents: 12, type: 'overloaded_error', message: 'Overloaded' },
    ],
    ['goes silent', { kind: 'stall', afterEvents: 12 }],
    [
      'breaks three times, with a refusal between',
      [
        { kind: 'drop', afterEvents: 12 },
        { kind: 'close', afterEvents: 8 },
        faults.overloaded(),
        { kind: 'drop', afterEvents: 99 },
      ],
    ],
  ];

  test.concurrent.each(broken)('the usage of a call that %s is that of all its attempts', async (name, fault) => {
    const run = await start(`broken ${name}`.replaceAll(/\W+/g, '-'), fault);
    const { totals, answer } = await run.result();
    expect(answer).toBe(long);
    expect(totals.usage).toEqual(billedTo(house, run));
    expect(totals.spending).toEqual([
      { purpose: 'turn', model: `offline-${run.runId}`, calls: 1, usage: totals.usage },
    ]);
    const events = await run.events();
    const reply = events.find((event) => event.type === 'model.replied');
    const { usage: last } = reply as Extract<RunEvent, { type: 'model.replied' }>;
    const lost = tokens(totals.usage) - tokens(last);
    expect(lost).toBeGreaterThan(100);
    expect(problemsIn(events)).toEqual([`an earlier attempt broke off; ${lost} tokens were paid for all the same`]);
    await replay(house.client, run.runId);
  });

  test.concurrent.each<[string, Fault]>([
    ['429', faults.rateLimited(1)],
    ['529', faults.overloaded()],
    ['502', faults.badGateway()],
    ['nothing at all', { kind: 'stall', afterEvents: null }],
  ])('an attempt that is answered with %s costs nothing and is not told', async (name, fault) => {
    const run = await start(`refused ${name}`.replaceAll(/\W+/g, '-'), fault);
    const { totals } = await run.result();
    const events = await run.events();
    expect(events.find((event) => event.type === 'model.replied')).toMatchObject({ usage: totals.usage });
    expect(totals.usage).toEqual(billedTo(house, run));
    expect(problemsIn(events)).toEqual([]);
  });

  test.concurrent('what a call used before it was parked is counted then, and once', async () => {
    const run = await start('parked', [{ kind: 'drop', afterEvents: 12 }, faults.unauthorized()]);
    const view = await run.until(({ parked }) => parked !== null);
    expect(view.totals.usage).toEqual(billedTo(house, run));
    expect(tokens(view.totals.usage)).toBeGreaterThan(100);
    await resumeRun(house.client, run.runId, 'ann');
    const { totals } = await run.result();
    expect(totals.usage).toEqual(billedTo(house, run));
    expect(problemsIn(await run.events())).toEqual([expect.stringContaining('tokens were paid for all the same')]);
    await replay(house.client, run.runId);
  });

  test.concurrent('what a call used before the API refused it for good is counted in the failed run', async () => {
    const run = await start('rejected', [{ kind: 'drop', afterEvents: 12 }, faults.badRequest('too odd')]);
    const { totals, outcome } = await run.result();
    expect(outcome).toMatchObject({ status: 'failed', error: 'ModelRejected' });
    expect(totals.usage).toEqual(billedTo(house, run));
    expect(tokens(totals.usage)).toBeGreaterThan(100);
  });

  test.concurrent('a call that never succeeds in its time is parked with what all its attempts used', async () => {
    const runId = `timeless-${house.taskQueue}`;
    house.model.inject(
      `offline-${runId}`,
      Array.from({ length: 9 }, (): Fault => ({ kind: 'drop', afterEvents: 12 })),
    );
    const model = { id: `offline-${runId}`, maxTokens: 8_000, contextTokens: 200_000, offline: false, price };
    const run = await house.start(hello, { runId, model, timeouts: { thinkingMs: 3_000 } });
    const view = await run.until(({ parked }) => parked !== null);
    expect(view.parked?.reason).toBe('model_unreachable');
    expect(house.model.counts(`offline-${runId}`).abandoned).toBeGreaterThan(1);
    expect(view.totals.usage).toEqual(billedTo(house, run));
  });

  test.concurrent('a call whose time is over in mid-stream is parked with what it had used, and asked anew', async () => {
    const runId = `overtime-${house.taskQueue}`;
    const name = `offline-${runId}`;
    house.model.inject(name, { kind: 'drip', pauseMs: 150 });
    const model = { id: name, maxTokens: 8_000, contextTokens: 200_000, offline: false, price };
    const run = await house.start(hello, { runId, model, timeouts: { thinkingMs: 1_500 } });
    const { parked, totals: then } = await run.until((view) => view.parked !== null);
    expect(parked?.reason).toBe('model_unreachable');
    expect(tokens(then.usage)).toBeGreaterThan(100);
    await resumeRun(house.client, runId, 'ann');
    const { totals } = await run.result();
    expect(house.model.counts(name).requests).toBe(2);
    expectKnownOf(totals.usage, house.model.billed(name));
  });

  test.concurrent('what a call used that was cancelled in mid-stream is in the totals of the cancelled run', async () => {
    const run = await start('cancelled', { kind: 'drip', pauseMs: 200 });
    await eventually(async () => await Promise.resolve(house.model.billed(`offline-${run.runId}`).output > 5));
    await cancelRun(house.client, run.runId);
    const { totals, outcome } = await run.result();
    expect(outcome.status).toBe('cancelled');
    expectKnownOf(totals.usage, house.model.billed(`offline-${run.runId}`));
    expect(totals.usage.output).toBeGreaterThan(5);
    await replay(house.client, run.runId);
  });

  test.concurrent('an aside that fails for good is paid for too', async () => {
    const runId = `aside-${house.taskQueue}`;
    house.model.inject(`offline-${runId}`, [
      { kind: 'drip', pauseMs: 0 },
      { kind: 'drop', afterEvents: 3 },
      faults.badRequest('too odd'),
    ]);
    const model = { id: `offline-${runId}`, maxTokens: 8_000, contextTokens: 200_000, offline: false, price };
    const run = await house.start(hello, { runId, model, critique: { when: 'before_complete', redoMax: 1 } });
    const { totals } = await run.result();
    expect(totals.usage).toEqual(billedTo(house, run));
    expect(totals.spending?.map(({ purpose }) => purpose)).toContain('critique');
  });
});

describe('with a worker that is killed or freezes', () => {
  let house: House;
  let folder: string;
  beforeAll(async () => {
    [house, folder] = await Promise.all([openHouse({ worker: false }), compileWorker()]);
  });
  afterEach(endWorkers);
  afterAll(async () => {
    await house.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('killed in mid-stream, the next worker counts the prompt of the lost attempt, and no more than was billed', async () => {
    const runId = `killed-${house.taskQueue}`;
    const first = await spawnWorker(folder, {
      ...house.workerOptions,
      models: { ...house.workerOptions.models, idleMs: 60_000 },
    });
    house.model.inject(`offline-${runId}`, { kind: 'stall', afterEvents: 12 });
    const model = { id: `offline-${runId}`, maxTokens: 8_000, contextTokens: 200_000, offline: false, price };
    const run = await house.start(hello, { runId, model });
    // Its heartbeat has arrived, not just its request.
    await eventually(async () => await showsUsage(run));
    await first.kill();
    await spawnWorker(folder, house.workerOptions);
    const { totals } = await run.result();
    expectKnownOf(totals.usage, house.model.billed(`offline-${runId}`));
    expect(totals.turns).toBe(1);
    expect(problemsIn(await run.events())).toHaveLength(1);
    await replay(house.client, runId);
  });

  test('frozen and woken, the next attempt joins the call that still goes on, and nothing is counted twice', async () => {
    const runId = `frozen-${house.taskQueue}`;
    house.model.inject(`offline-${runId}`, { kind: 'drip', pauseMs: 300 });
    const worker = await spawnWorker(folder, {
      ...house.workerOptions,
      models: { ...house.workerOptions.models, idleMs: 60_000 },
    });
    const model = { id: `offline-${runId}`, maxTokens: 8_000, contextTokens: 200_000, offline: false, price };
    const run = await house.start(hello, { runId, model, timeouts: { heartbeatMs: 2_000 } });
    await eventually(async () => await showsUsage(run));
    worker.signal('SIGSTOP');
    await eventually(async () => {
      const { raw } = await run.handle.describe();
      return raw.pendingActivities?.some(({ attempt }) => (attempt ?? 0) > 1) === true;
    });
    worker.signal('SIGCONT');
    const { totals } = await run.result();
    expect(house.model.counts(`offline-${runId}`)).toMatchObject({ requests: 1, completed: 1 });
    expect(totals.usage).toEqual(billedTo(house, run));
    expect(problemsIn(await run.events())).toEqual([]);
  });
});

/** Whether a heartbeat that counts something has reached the server. */
async function showsUsage({ handle }: LiveRun): Promise<boolean> {
  const { raw } = await handle.describe();
  const beats = raw.pendingActivities?.flatMap(({ heartbeatDetails }) => heartbeatDetails?.payloads ?? []) ?? [];
  return beats.some(({ data }) => Buffer.from(data ?? []).includes('costUsd'));
}

/** Every prompt is counted; what came after the last heartbeat, or while a call was being ended, is billed and not known. */
function expectKnownOf(known: Usage, billed: Omit<Usage, 'costUsd'>): void {
  const { input, cacheRead, cacheWrite } = known;
  expect(billed).toMatchObject({ input, cacheRead, cacheWrite });
  expect(known.output).toBeLessThanOrEqual(billed.output);
}

function tokens({ input, output, cacheRead, cacheWrite }: Usage): number {
  return input + output + cacheRead + cacheWrite;
}
