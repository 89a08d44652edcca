import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { answerApproval } from '../../src/client.ts';
import type { Approval } from '../../src/contract/approvals.ts';
import { steps, type Scenario } from '../../src/models/offline/scenario.ts';
import { openHouse, replay, type House, type LiveRun } from '../support/house.ts';
import { startStrikeRecorder, type StrikeRecorder } from '../support/strike-recorder.ts';
import { strikeDefinition, strikeModule } from '../support/strike-tool.ts';
import { inputAt, judgeStrikes, type JudgedStrike } from '../support/strike-verdict.ts';
import { openTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { compileWorker, endWorkers, spawnWorker, type WorkerProcess } from '../support/worker-process.ts';

const RUNS = 10;
const TURNS = 5;
const CALLS_PER_TURN = 4;

/** Longer than the SDK keeps trying to report a finished result. */
const OUTAGE_MS = 15_000;
const HEARTBEAT_MS = 2_000;
const FROZEN_MS = 8_000;

let house: House;
let folder: string;
let recorder: StrikeRecorder;
let way: TcpProxy;
beforeAll(async () => {
  house = await openHouse({ worker: false });
  recorder = await startStrikeRecorder(house.dataFolder);
  [folder, way] = await Promise.all([
    compileWorker(strikeModule(recorder.port)),
    openTcpProxy(inject('temporalAddress')),
  ]);
});
afterEach(endWorkers);
afterAll(async () => {
  await Promise.all([house.close(), recorder.close(), way.close()]);
  await rm(folder, { recursive: true, force: true });
});

const freely = { tools: [strikeDefinition()], policy: { allow: ['strike'] } };
const worker = async (): Promise<WorkerProcess> =>
  await spawnWorker(folder, {
    ...house.workerOptions,
    target: { address: way.address, namespace: house.workerOptions.target.namespace },
  });

/** Turns of a few strikes each, with a model that takes a while to say so. */
function campaign(runId: string): Scenario {
  return (seen) => {
    const turn = seen.turn + 1;
    if (turn > TURNS || seen.summaryWanted) return { text: 'all struck' };
    const calls = Array.from({ length: CALLS_PER_TURN }, (_, index) => ({
      name: 'strike',
      input: inputAt({ runId }, { turn, index }),
    }));
    return { text: 'I strike now, and then I strike again. '.repeat(4), calls, pauseMs: 100 };
  };
}

/** Resolves with the calls in flight at these workers once there are so many. */
async function striking(count: number, ...workers: readonly WorkerProcess[]): Promise<readonly string[]> {
  for (;;) {
    const keys = await recorder.inFlight(...workers.map(({ pid }) => pid));
    if (keys.length >= count) return keys;
    for (const one of workers) one.expectAlive();
    await sleep(10);
  }
}

/** Kills a worker that is seen to have calls in hand, and puts another in its place. */
async function replaceKilled(victim: WorkerProcess, killed: number[]): Promise<WorkerProcess> {
  await striking(1, victim);
  await victim.kill();
  killed.push(victim.pid);
  return await worker();
}

test(
  'kills, a freeze and an outage around two hundred unsafe calls: none is started twice, and no result is lost',
  { timeout: 300_000 },
  async () => {
    const killed: number[] = [];
    let [first, second] = await Promise.all([worker(), worker()]);
    const runs = await Promise.all(
      Array.from({ length: RUNS }, async (_, number) => {
        const runId = `fire-${house.taskQueue}-${number}`;
        return await house.start(campaign(runId), { ...freely, runId, timeouts: { heartbeatMs: HEARTBEAT_MS } });
      }),
    );
    first = await replaceKilled(first, killed);

    const aroundOutage = await striking(2, first, second);
    way.cut();
    await sleep(OUTAGE_MS);
    way.mend();

    second = await replaceKilled(second, killed);
    const inTheFrozen = await striking(1, first);
    first.signal('SIGSTOP');
    await Promise.all([sleep(FROZEN_MS), replaceKilled(second, killed)]);
    first.signal('SIGCONT');

    const results = await Promise.all(runs.map(async (run) => await run.result()));
    expect(results.map(({ outcome }) => outcome.status)).toEqual(runs.map(() => 'completed'));
    const notes = await recorder.notes();
    const judged = await Promise.all(runs.map(async (run) => await judgeStrikes(house, run, notes)));
    const calls = judged.flat();
    report(calls, killed);
    expectHonest(calls, killed);
    expect(calls).toHaveLength(RUNS * TURNS * CALLS_PER_TURN);
    expect(new Set(notes.map(({ key }) => key)).size).toBe(notes.filter(({ kind }) => kind === 'start').length);
    const spared = [...aroundOutage, ...inTheFrozen];
    const statuses = calls.flatMap(({ starts, status }) => (spared.includes(starts[0]?.key ?? '') ? [status] : []));
    expect(statuses, 'an outage or a freeze makes nothing unknown').toEqual(spared.map(() => 'success'));
    expect(results.reduce((sum, { totals }) => sum + totals.unknown, 0)).toBe(count(calls, 'unknown'));
    await replay(house.client, runs[0]?.runId ?? '');
  },
);

function expectHonest(calls: readonly JudgedStrike[], killed: readonly number[]): void {
  for (const call of calls) {
    const { status, starts, ends, storedAt, toldAt } = call;
    const isBlamedOnKill = starts.every(({ pid }) => killed.includes(pid));
    const what = JSON.stringify(call);
    expect(starts.length, `started at most once: ${what}`).toBeLessThanOrEqual(1);
    expect(['success', 'unknown'], `known or honestly unknown: ${what}`).toContain(status);
    if (status === 'success') expect(ends.length, `success means that it ended: ${what}`).toBe(1);
    if (status === 'unknown') expect(isBlamedOnKill, `unknown only where its worker was killed: ${what}`).toBe(true);
    if (status === 'unknown' && storedAt !== undefined)
      expect(storedAt, `a stored result is never told as unknown: ${what}`).toBeGreaterThan(toldAt);
  }
}

function count(calls: readonly JudgedStrike[], status: string): number {
  return calls.filter((call) => call.status === status).length;
}

/** Lost is what ended at a worker that lived on, or was stored, and is called unknown all the same. */
function report(calls: readonly JudgedStrike[], killed: readonly number[]): void {
  const twice = calls.filter(({ starts }) => starts.length > 1).length;
  const isLost = ({ status, ends, storedAt }: JudgedStrike): boolean =>
    status === 'unknown' && (storedAt !== undefined || ends.some(({ pid }) => !killed.includes(pid)));
  console.info(
    `${calls.length} calls, ${killed.length} kills, 1 freeze, 1 outage: ` +
      `${count(calls, 'unknown')} unknown, ${twice} twice, ${calls.filter(isLost).length} lost`,
  );
}

/** A run that strikes once and loses its worker meanwhile, and the question that comes of it. */
async function askedAbout(run: LiveRun): Promise<Approval> {
  const view = await run.until(({ approvals }) => approvals.some(({ status }) => status === 'open'));
  return view.approvals.find(({ status }) => status === 'open')!;
}

test('where people are asked about unknown outcomes, exactly the call they say to repeat is started again', async () => {
  const victim = await worker();
  const choices = ['happened', 'repeat', 'skip'] as const;
  const runs = await Promise.all(
    choices.map(async (choice) => {
      const runId = `asked-${house.taskQueue}-${choice}`;
      const strike = { name: 'strike', input: { mark: choice, workMs: 3_000 } };
      const script = steps([{ calls: [strike] }, (seen) => ({ text: seen.lastResults[0]?.text ?? '' })]);
      return await house.start(script, { ...freely, runId, approvals: { unknownOutcome: 'ask' } });
    }),
  );
  await striking(3, victim);
  await victim.kill();
  await worker();
  const questions = await Promise.all(runs.map(askedAbout));
  expect(questions.map(({ kind }) => kind)).toEqual(['outcome', 'outcome', 'outcome']);
  const answers = choices.map(async (choice, index) => {
    const { id = '', digest = '' } = questions[index] ?? {};
    const words = choice === 'happened' ? { text: 'the mark is there' } : {};
    const given = { id, digest, decision: 'answer', by: 'ann', choice, ...words } as const;
    return await answerApproval(house.client, runs[index]?.runId ?? '', given);
  });
  expect(await Promise.all(answers)).toEqual(choices.map(() => ({ kind: 'applied' })));
  const [happened, repeated, skipped] = await Promise.all(runs.map(async (run) => await run.result()));
  expect(happened?.answer).toContain('ann looked and says that this call did happen. They report: the mark is there');
  expect(repeated?.answer).toContain('struck repeat');
  expect(skipped?.answer).toContain('outcome_unknown');
  expect([happened, repeated, skipped].map((result) => result?.totals.unknown)).toEqual([0, 0, 1]);
  const notes = (await recorder.notes()).filter(({ key }) => key.startsWith('asked-'));
  const starts = runs.map(({ runId }) => notes.filter(({ kind, key }) => kind === 'start' && key.startsWith(runId)));
  expect(starts.map((list) => list.length)).toEqual([1, 2, 1]);
  expect(starts[1]?.[1]?.key).toBe(`${starts[1]?.[0]?.key}-a2`);
  expect(notes.filter(({ kind }) => kind === 'end').map(({ key }) => key)).toEqual([starts[1]?.[1]?.key]);
});
