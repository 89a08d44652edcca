import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerApproval } from '../../src/client.ts';
import { findFolders } from '../../src/config/folders.ts';
import { steps, type Scenario } from '../../src/models/offline/scenario.ts';
import { startDevServer, type DevServer } from '../../src/temporal/dev-server.ts';
import { randomPorts, type ServerPorts } from '../../src/temporal/free-ports.ts';
import { openHouse, replay, type House } from '../support/house.ts';
import { createRecorder, eventually, type Recorder } from '../support/recorder.ts';

let house: House;
let recorder: Recorder;
let dataFolder: string;
let ports: ServerPorts;
let server: DevServer;

async function start(): Promise<DevServer> {
  const { cacheFolder } = findFolders(process.env);
  return await startDevServer({ dataFolder, cacheFolder, env: process.env, onProgress: () => undefined, ports });
}

/** Ends the server as a power switch would, keeps it down, and starts it on the same file and ports. */
async function outage(ms: number): Promise<void> {
  process.kill(server.pid, 'SIGKILL');
  await new Promise((resolve) => setTimeout(resolve, ms));
  server = await start();
}

beforeAll(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), 'nightshift-server-'));
  ports = await randomPorts();
  server = await start();
  house = await openHouse({ address: server.address });
  recorder = createRecorder(house.workspace);
});
afterAll(async () => {
  await house.close();
  await server.stop();
  await rm(dataFolder, { recursive: true, force: true });
});

function bashThenSay(command: string): Scenario {
  return steps([
    { thinking: 'do it', calls: [{ name: 'bash', input: { command } }] },
    (seen) => ({ text: seen.lastResults[0]?.text ?? 'nothing' }),
  ]);
}

test('killed in the middle of a model stream, the reply that comes meanwhile is not lost', async () => {
  const runId = 'outage-stream';
  house.model.inject(`offline-${runId}`, { kind: 'drip', pauseMs: 150 });
  const run = await house.start(steps([{ thinking: 'hm', text: 'hello '.repeat(40) }]), { runId });
  await eventually(async () => await Promise.resolve(house.model.requests(`offline-${runId}`).length === 1));
  await outage(500);
  expect((await run.result()).answer).toContain('hello');
  expect(house.model.requests(`offline-${runId}`)).toHaveLength(1);
});

test(
  'killed for longer than a finished result is kept by the SDK, the result of a command is still found',
  { timeout: 240_000 },
  async () => {
    const run = await house.start(bashThenSay(recorder.command('outage', 'sleep 1')), { policy: { allow: ['bash'] } });
    await eventually(async () => (await recorder.starts('outage')) === 1);
    // Reporting is tried for about ten seconds; after that only the ledger remembers.
    await outage(15_000);
    const result = await run.result();
    expect(result.answer).toContain('finished outage');
    expect(result.totals.unknown).toBe(0);
    expect([await recorder.starts('outage'), await recorder.ends('outage')]).toEqual([1, 1]);
    await replay(house.client, run.runId);
  },
);

test('killed between turns, the run goes on where it was', async () => {
  const script: Scenario = (seen) =>
    seen.turn < 15
      ? { thinking: `t${seen.turn}`, calls: [{ name: 'ls', input: {} }], pauseMs: 40 }
      : { text: `after ${seen.results.length} results` };
  const run = await house.start(script);
  await run.until(({ turn }) => turn >= 4);
  await outage(500);
  expect(await run.result()).toMatchObject({ answer: 'after 15 results', totals: { turns: 16, toolCalls: 15 } });
});

test('killed while an approval is open, question, deadline and events are still there', async () => {
  const run = await house.start(bashThenSay(recorder.command('approved', 'true')));
  const before = await run.until(({ state }) => state === 'awaiting_human');
  await outage(500);
  const after = await run.until(({ state }) => state === 'awaiting_human');
  expect(after.approvals).toEqual(before.approvals);
  const [approval] = after.approvals;
  await answerApproval(house.client, run.runId, {
    id: approval!.id,
    digest: approval!.digest,
    decision: 'approve',
    by: 'ann',
  });
  expect((await run.result()).answer).toContain('finished approved');
});

test('a reader is told that the server is unreachable, not that the run is over', async () => {
  const run = await house.start(bashThenSay('true'));
  await run.until(({ state }) => state === 'awaiting_human');
  process.kill(server.pid, 'SIGKILL');
  expect((await run.read()).kind).toBe('unreachable');
  server = await start();
  expect((await run.until(() => true)).state).toBe('awaiting_human');
});
