import { rm } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { answerApproval } from '../../src/client.ts';
import { callKey } from '../../src/tools/ledger/ledger.ts';
import { findMarked } from '../../src/tools/shell/process-tree.ts';
import { steps, type Scenario } from '../../src/models/offline/scenario.ts';
import { chainOf, keyOfCall } from '../support/call-key.ts';
import { openHouse, replay, type House } from '../support/house.ts';
import { createRecorder, eventually, type Recorder } from '../support/recorder.ts';
import { compileWorker, endWorkers, spawnWorker, type WorkerProcess } from '../support/worker-process.ts';

let house: House;
let folder: string;
let recorder: Recorder;
beforeAll(async () => {
  [house, folder] = await Promise.all([openHouse({ worker: false }), compileWorker()]);
  recorder = createRecorder(house.workspace);
});
afterEach(endWorkers);
afterAll(async () => {
  await house.close();
  await rm(folder, { recursive: true, force: true });
});

const freely = { policy: { allow: ['bash'] } } as const;
const worker = async (): Promise<WorkerProcess> => await spawnWorker(folder, house.workerOptions);

function bashThenSay(command: string): Scenario {
  return steps([
    { thinking: 'do it', calls: [{ name: 'bash', input: { command } }] },
    (seen) => ({ text: seen.lastResults[0]?.text ?? 'nothing' }),
  ]);
}

test('killed in the middle of a model stream, the call is made again and the run ends as if nothing had been', async () => {
  const runId = `stream-${house.taskQueue}`;
  const first = await worker();
  house.model.inject(`offline-${runId}`, { kind: 'stall', afterEvents: 3 });
  const run = await house.start(steps([{ thinking: 'hm', text: 'hello' }]), { runId });
  await eventually(async () => await Promise.resolve(house.model.requests(`offline-${runId}`).length === 1));
  await first.kill();
  await worker();
  expect(await run.result()).toMatchObject({ outcome: { status: 'completed' }, answer: 'hello', totals: { turns: 1 } });
  await replay(house.client, runId);
});

test('killed in the middle of a command, the command is not started again, its processes die, and the model is told', async () => {
  const first = await worker();
  const command = recorder.command('mid-bash', 'sleep 60');
  const run = await house.start(bashThenSay(command), freely);
  await eventually(async () => (await recorder.starts('mid-bash')) === 1);
  const chain = await chainOf(house.client, run.runId);
  const call = keyOfCall(chain, { turn: 1, index: 0, tool: 'bash', input: { command } });
  const marker = { name: 'NIGHTSHIFT_CALL', value: callKey(run.runId, call) };
  expect((await findMarked(marker)).length).toBeGreaterThan(0);
  await first.kill();
  await worker();
  const result = await run.result();
  expect(result.answer).toContain('outcome_unknown');
  expect(result.totals.unknown).toBe(1);
  expect([await recorder.starts('mid-bash'), await recorder.ends('mid-bash')]).toEqual([1, 0]);
  expect(await findMarked(marker)).toEqual([]);
});

test('killed between turns, the run goes on where it was', async () => {
  const first = await worker();
  const calls =
    (n: number): Scenario =>
    (seen) =>
      seen.turn < n
        ? { thinking: `t${seen.turn}`, calls: [{ name: 'ls', input: {} }], pauseMs: 30 }
        : { text: `after ${seen.results.length} results` };
  const run = await house.start(calls(12));
  await run.until(({ turn }) => turn >= 4);
  await first.kill();
  await worker();
  expect(await run.result()).toMatchObject({ answer: 'after 12 results', totals: { turns: 13, toolCalls: 12 } });
});

test('killed while an approval is open, the question is still there, and an answer given meanwhile counts', async () => {
  const first = await worker();
  const run = await house.start(bashThenSay(recorder.command('approved', 'true')));
  const view = await run.until(({ state }) => state === 'awaiting_human');
  await first.kill();
  const [approval] = view.approvals;
  const sent = await answerApproval(house.client, run.runId, {
    id: approval!.id,
    digest: approval!.digest,
    decision: 'approve',
    by: 'ann',
  });
  expect(sent.kind).toBe('recorded');
  await worker();
  expect((await run.result()).answer).toContain('finished approved');
  expect(await recorder.starts('approved')).toBe(1);
});

test('frozen in the middle of a command and awake again, it is still the only one that ran it', async () => {
  const first = await worker();
  const run = await house.start(bashThenSay(recorder.command('frozen', 'sleep 3')), {
    ...freely,
    timeouts: { heartbeatMs: 2_000 },
  });
  await eventually(async () => (await recorder.starts('frozen')) === 1);
  first.signal('SIGSTOP');
  const second = await worker();
  // Long enough that the server gives the step up and hands it to the second worker, which must not start it.
  await new Promise((resolve) => setTimeout(resolve, 8_000));
  expect(await recorder.starts('frozen')).toBe(1);
  first.signal('SIGCONT');
  const result = await run.result();
  expect(result.answer).toContain('finished frozen');
  expect(await recorder.starts('frozen')).toBe(1);
  await second.kill();
});

test('asked to end in the middle of a command, it ends, and the command counts as unknown, not as cancelled', async () => {
  const first = await worker();
  const run = await house.start(bashThenSay(recorder.command('deploy', 'sleep 60')), freely);
  await eventually(async () => (await recorder.starts('deploy')) === 1);
  first.signal('SIGTERM');
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await worker();
  expect((await run.result()).answer).toContain('outcome_unknown');
  expect(await recorder.starts('deploy')).toBe(1);
});
