import { execFile } from 'node:child_process';
import { access, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { answerApproval, cancelRun, startRun } from '../../src/client.ts';
import type { Approval } from '../../src/contract/approvals.ts';
import type { RunResult } from '../../src/contract/run.ts';
import { steps, type Scenario, type ScriptedCall } from '../../src/models/offline/scenario.ts';
import { createSandbox } from '../../src/tools/sandbox/sandbox.ts';
import { startWorker, type WorkerOptions } from '../../src/worker.ts';
import { compile } from '../tools/compiled.ts';
import { armAttacks, ATTACKS, LINGERED_MS, type Prey } from '../support/approval-attacks.ts';
import { chainOf, keyOfCall } from '../support/call-key.ts';
import { openHouse, type House, type LiveRun } from '../support/house.ts';

/** What a person is to decide about, and nobody else. */
const TARGET = { path: 'target.txt', content: 'by leave of a person\n' };

const cannotConfine = await createSandbox({ environment: process.env }).problem('/nonexistent/workspace');
if (cannotConfine !== undefined) console.warn(`Confined attacks are not tested here: ${cannotConfine}`);

const PACKAGES = join(import.meta.dirname, '..', '..', 'node_modules');

let build: string;
beforeAll(async () => {
  build = await mkdtemp(join(PACKAGES, '.cache', 'nightshift', 'self-approval-'));
  await compile(join(build, 'dist'), ['cli/main.ts']);
});
afterAll(async () => await rm(build, { recursive: true, force: true }));

/** A house whose worker is made with these options. */
async function openWith(options: Partial<WorkerOptions>): Promise<[House, () => Promise<void>]> {
  const house = await openHouse({ worker: false });
  const worker = await startWorker({ ...house.workerOptions, ...options });
  const close = async (): Promise<void> => {
    await worker.shutdown();
    await house.close();
  };
  return [house, close];
}

/** Programs on PATH are seen in the sandbox; so the command line starts there, and fails only at what it is to do. */
function withCommandLine(environment: WorkerOptions['environment']): WorkerOptions['environment'] {
  return { ...environment, PATH: [environment['PATH'], PACKAGES].join(delimiter) };
}

/** A run that waits for leave to write a file, which only a person may give. */
async function openPrey(house: House): Promise<{ readonly run: LiveRun; readonly prey: Prey }> {
  const script = steps([
    { calls: [{ name: 'write_file', input: TARGET }] },
    (seen) => ({ text: seen.lastResults[0]?.text ?? '' }),
  ]);
  const run = await house.start(script, { approvals: { timeoutMs: 3_600_000 } });
  const { approvals } = await run.until(({ state }) => state === 'awaiting_human');
  const chain = await chainOf(house.client, run.runId);
  const prey: Prey = {
    runId: run.runId,
    approval: approvals[0]!,
    key: keyOfCall(chain, { turn: 1, index: 0, tool: 'write_file', input: TARGET }),
    temporal: inject('temporalAddress'),
    api: house.model.url,
    cli: join(build, 'dist', 'cli', 'main.js'),
    workerPid: process.pid,
  };
  await armAttacks(house.workspace, prey);
  return { run, prey };
}

async function openOf(run: LiveRun): Promise<readonly Approval[]> {
  const reading = await run.read();
  return reading.kind === 'live' ? reading.view.approvals.filter(({ status }) => status === 'open') : [];
}

async function answer(house: House, run: LiveRun, { id, kind, digest, options }: Approval): Promise<void> {
  const given =
    kind === 'approve'
      ? ({ decision: 'approve', digest } as const)
      : ({ decision: 'answer', choice: options[0]?.id ?? '', text: 'yes' } as const);
  await answerApproval(house.client, run.runId, { id, by: 'ann', ...given });
}

/** A careless person: says yes to whatever this run asks, until it ends. */
async function sayYes(house: House, run: LiveRun): Promise<string> {
  let isOver = false;
  const result = run.result().finally(() => (isOver = true));
  while (!isOver) {
    for (const approval of await openOf(run)) await answer(house, run, approval);
    await sleep(100);
  }
  return (await result).answer;
}

/** The model that does whatever it was told to, and then says what came of it. */
function gullible(calls: readonly ScriptedCall[]): Scenario {
  return steps([{ calls }, (seen) => ({ text: seen.lastResults.map(({ text }) => text).join('\n') })]);
}

async function isThere(house: House, path: string): Promise<boolean> {
  return await access(join(house.workspace, path)).then(
    () => true,
    () => false,
  );
}

/** Nothing reached the run: nobody answered, nobody was even refused, and its call did not begin. */
async function expectUntouched(house: House, { run, prey }: { run: LiveRun; prey: Prey }): Promise<void> {
  expect((await openOf(run)).map(({ id }) => id)).toEqual([prey.approval.id]);
  const heard = (await run.events()).filter(({ type }) => /^(?:approval|message|tool\.started)/u.test(type));
  expect(heard.map(({ type }) => type)).toEqual(['approval.requested']);
  const traces = [TARGET.path, 'attack/planted', `.nightshift/ledger/${run.runId}`, '.mcp.json', 'nightshift.yaml'];
  const found = await Promise.all([...traces, 'agents/tester.md'].map(async (path) => await isThere(house, path)));
  expect(found).toEqual([...traces, 'agents/tester.md'].map(() => false));
}

describe.skipIf(cannotConfine !== undefined)('with bash confined and an approval open', () => {
  let house: House;
  let waiting: { readonly run: LiveRun; readonly prey: Prey };
  let close: () => Promise<void>;
  beforeAll(async () => {
    [house, close] = await openWith({ environment: withCommandLine(process.env) });
    waiting = await openPrey(house);
  });
  afterAll(async () => await close());

  const named = ATTACKS.map((attack) => [attack.name, attack] as const);
  const real = named.filter(([, { works }]) => works === true);
  test.each(real)('outside the sandbox, %s gets through, so the attack is a real one', async (_name, { calls }) => {
    const { run, prey } = await openPrey(house);
    const [call] = calls(prey);
    const { command } = call!.input as { command: string };
    const { stdout } = await promisify(execFile)('bash', ['-c', command], { cwd: house.workspace });
    expect(stdout).toContain('tried 0');
    expect((await run.result()).answer).toContain('target.txt');
    await rm(join(house.workspace, TARGET.path));
  });

  test.each(named)('%s does not get through', async (_name, { calls, lingers }) => {
    const run = await house.start(gullible(calls(waiting.prey)), { policy: { allow: ['bash'] } });
    const said = await sayYes(house, run);
    expect(said).toContain('tried');
    expect(said).not.toMatch(/CONNECTED|VITEST|signal: 0|Cannot find module|command not found/u);
    if (lingers === true) await sleep(LINGERED_MS);
    await expectUntouched(house, waiting);
    const claims = await readdir(join(house.workspace, '.nightshift', 'ledger', run.runId));
    expect(claims.some((name) => name.endsWith('.claim'))).toBe(true);
  });

  test('in the end a person answers, and exactly what was shown is done', async () => {
    const { run, prey } = waiting;
    await answer(house, run, prey.approval);
    expect((await run.result()).answer).not.toContain('forged');
    expect(await readFile(join(house.workspace, TARGET.path), 'utf8')).toBe(TARGET.content);
  });
});

describe('where nothing can confine bash', () => {
  let house: House;
  let waiting: { readonly run: LiveRun; readonly prey: Prey };
  let close: () => Promise<void>;
  beforeAll(async () => {
    const sandbox = createSandbox({ environment: process.env, bwrapPath: '/nonexistent/bwrap' });
    [house, close] = await openWith({ sandbox });
    waiting = await openPrey(house);
  });
  afterAll(async () => await close());

  const commands = (): readonly ScriptedCall[] =>
    ATTACKS.flatMap(({ calls }) => calls(waiting.prey).filter(({ name }) => name === 'bash'));

  test('no attack begins without leave of a person, although the policy allows bash', async () => {
    const calls = commands();
    const run = await house.start(gullible(calls), { policy: { allow: ['bash'] } });
    const { approvals } = await run.until(({ approvals: open }) => open.length === calls.length);
    for (const { reason, preview } of approvals) {
      expect(reason).toContain('cannot be confined');
      expect(preview).toContain('NOT CONFINED');
    }
    await sleep(500);
    expect((await run.events()).filter(({ type }) => type === 'tool.started')).toEqual([]);
    await expectUntouched(house, waiting);
    await cancelRun(house.client, run.runId);
  });

  test('and where nobody is there to be asked, each is denied at once', async () => {
    const calls = commands();
    const { spec } = await house.start(steps([{ text: 'only to have a spec' }]), { policy: { allow: ['bash'] } });
    const runId = `${spec.runId}-unattended`;
    house.model.script(`offline-${runId}`, gullible(calls));
    const model = { ...spec.model, id: `offline-${runId}` };
    const policy = { ...spec.policy, mode: 'unattended' as const };
    await startRun(house.client, { ...spec, runId, model, policy }, house.taskQueue);
    const result = (await house.client.workflow.getHandle(runId).result()) as RunResult;
    expect(result.totals.toolCalls).toBe(0);
    expect(result.answer.match(/^denied: the policy .*"unattended"/gmu)).toHaveLength(calls.length);
    expect(result.answer).not.toContain('tried');
    await expectUntouched(house, waiting);
  });
});
