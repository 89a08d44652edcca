import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerApproval, cancelRun, pauseRun, resumeRun, sendMessage } from '../../src/client.ts';
import { SIGNALS } from '../../src/contract/names.ts';
import type { Approval } from '../../src/contract/approvals.ts';
import { steps, type ScriptedReply } from '../../src/models/offline/scenario.ts';
import { startWorker } from '../../src/worker.ts';
import { openHouse, replay, type House, type LiveRun } from '../support/house.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(async () => {
  await house.close();
});

const bash = (command: string): ScriptedReply => ({ calls: [{ name: 'bash', input: { command } }] });

/** A script that asks for one command, then says what came of it. */
function oneCommand(command: string): ReturnType<typeof steps> {
  return steps([bash(command), (seen) => ({ text: `It said: ${seen.lastResults[0]?.text}` })]);
}

async function openApprovals(run: LiveRun, count = 1): Promise<readonly Approval[]> {
  const isOpen = ({ status }: Approval): boolean => status === 'open';
  const view = await run.until(
    ({ state, approvals }) => state === 'awaiting_human' && approvals.filter(isOpen).length >= count,
  );
  return view.approvals.filter(isOpen);
}

async function approve(run: LiveRun, { id, digest }: Approval, by = 'ann'): Promise<unknown> {
  return await answerApproval(house.client, run.runId, { id, digest, decision: 'approve', by });
}

test('an approval shows the exact arguments, and an approved call runs', async () => {
  const run = await house.start(oneCommand('echo approved > proof.txt; cat proof.txt'));
  const [approval] = await openApprovals(run);
  expect(approval).toMatchObject({
    kind: 'approve',
    tool: 'bash',
    arguments: { command: 'echo approved > proof.txt; cat proof.txt' },
    onTimeout: 'deny',
  });
  expect(approval?.reason).toContain('no rule allows bash');
  expect(await approve(run, approval!)).toEqual({ kind: 'applied' });
  expect((await run.result()).answer).toContain('It said: approved');
  await replay(house.client, run.runId);
});

test('a denied call does not run, and the model hears the person’s words', async () => {
  const run = await house.start(oneCommand('touch never.txt'));
  const [approval] = await openApprovals(run);
  await answerApproval(house.client, run.runId, {
    id: approval!.id,
    decision: 'deny',
    by: 'ann',
    note: 'not on a Friday',
  });
  const result = await run.result();
  expect(result.answer).toContain('denied: ann denied this call');
  expect(result.answer).toContain('not on a Friday');
  expect(result.totals.denied).toBe(1);
  await expect(access(join(house.workspace, 'never.txt'))).rejects.toThrow();
});

test('without an answer the call expires, the run goes on, and expiry is not called a denial', async () => {
  const run = await house.start(oneCommand('touch late.txt'), { approvals: { timeoutMs: 500 } });
  const result = await run.result();
  expect(result).toMatchObject({ outcome: { status: 'completed' }, totals: { expired: 1, denied: 0 } });
  expect(result.answer).toContain('expired: nobody answered');
  await replay(house.client, run.runId);
});

test('of fifty answers at once one counts, and the others hear who was first', async () => {
  const run = await house.start(oneCommand('echo once >> once.txt'));
  const [approval] = await openApprovals(run);
  // Ten at a time: the server takes no more updates of one run at once.
  const sent = [];
  for (let i = 0; i < 5; i += 1) {
    const batch = Array.from({ length: 10 }, async (_, index) => await approve(run, approval!, `person-${i}-${index}`));
    sent.push(...(await Promise.all(batch)));
  }
  const kinds = sent.map((answer) => (answer as { kind: string }).kind);
  expect(kinds.filter((kind) => kind === 'applied')).toHaveLength(1);
  const refusals = sent.flatMap((answer) =>
    'refusal' in (answer as object) ? [(answer as { refusal: { reason: string; message: string } }).refusal] : [],
  );
  for (const refusal of refusals) expect(refusal.message).toMatch(/already approved by person-0-\d/u);
  await run.result();
  expect(await readFile(join(house.workspace, 'once.txt'), 'utf8')).toBe('once\n');
});

test('a wrong digest is refused, and the question stays open', async () => {
  const run = await house.start(oneCommand('true'));
  const [approval] = await openApprovals(run);
  const sent = await answerApproval(house.client, run.runId, {
    id: approval!.id,
    decision: 'approve',
    digest: 'sha256:other',
    by: 'eve',
  });
  expect(sent).toMatchObject({ kind: 'refused', refusal: { reason: 'wrong_digest' } });
  expect(await openApprovals(run)).toHaveLength(1);
  await cancelRun(house.client, run.runId);
});

test('several calls of one turn wait in parallel, each under its own id, and are answered out of order', async () => {
  const calls = ['one', 'two', 'three'].map((name) => ({ name: 'bash', input: { command: `echo ${name}` } }));
  const run = await house.start(
    steps([{ calls }, (seen) => ({ text: seen.lastResults.map(({ text }) => text.trim().split(':')[0]).join(' ') })]),
  );
  const [first, second, third] = await openApprovals(run, 3);
  await approve(run, third!);
  await answerApproval(house.client, run.runId, { id: second!.id, decision: 'deny', by: 'ann' });
  await approve(run, first!);
  expect((await run.result()).answer).toBe('one denied three');
});

test('an agent that asks by itself gets words, or the option a person chose', async () => {
  const run = await house.start(
    steps([
      { calls: [{ name: 'ask_human', input: { question: 'Which colour?', options: ['red', 'blue'] } }] },
      { calls: [{ name: 'ask_human', input: { question: 'Why?' } }] },
      (seen) => ({ text: seen.results.map(({ text }) => text).join(' | ') }),
    ]),
  );
  const [choice] = await openApprovals(run);
  expect(choice).toMatchObject({
    kind: 'choose',
    options: [
      { id: '1', label: 'red' },
      { id: '2', label: 'blue' },
    ],
  });
  await answerApproval(house.client, run.runId, { id: choice!.id, decision: 'answer', choice: '2', by: 'ann' });
  await run.until(({ approvals }) => approvals.some(({ kind, status }) => kind === 'answer' && status === 'open'));
  const [words] = await openApprovals(run);
  await answerApproval(house.client, run.runId, { id: words!.id, decision: 'answer', text: 'It calms.', by: 'ann' });
  expect((await run.result()).answer).toBe('ann chose: blue | ann answered: It calms.');
});

test('an answer given while no worker runs is recorded, and judged by the time at which it was given', async () => {
  const alone = await openHouse({ worker: false });
  try {
    const first = await startWorker(alone.workerOptions);
    const inTime = await alone.start(oneCommand('echo in time'), { approvals: { timeoutMs: 2_000 } });
    const late = await alone.start(oneCommand('echo late'), { approvals: { timeoutMs: 1_000 } });
    const [a] = await openApprovals(inTime);
    const [b] = await openApprovals(late);
    await first.shutdown();
    const sent = await answerApproval(alone.client, inTime.runId, {
      id: a!.id,
      digest: a!.digest,
      decision: 'approve',
      by: 'ann',
    });
    expect(sent.kind).toBe('recorded');
    // Both timers fire while nobody works, so the run will see answer and deadline in the same moment.
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    await answerApproval(alone.client, late.runId, { id: b!.id, digest: b!.digest, decision: 'approve', by: 'bob' });
    const second = await startWorker(alone.workerOptions);
    expect((await inTime.result()).answer).toContain('It said: in time');
    expect((await late.result()).answer).toContain('expired');
    expect(
      (await late.events()).some((event) => event.type === 'approval.refused' && event.reason === 'too_late'),
    ).toBe(true);
    await second.shutdown();
  } finally {
    await alone.close();
  }
});

test('a message is heard between turns, and a paused run goes on when it is resumed', async () => {
  const run = await house.start(steps([bash('true'), (seen) => ({ text: `heard: ${seen.words.join('; ')}` })]), {
    approvals: { timeoutMs: 60_000 },
  });
  const [approval] = await openApprovals(run);
  await sendMessage(house.client, run.runId, { by: 'ann', text: 'be quick' });
  await pauseRun(house.client, run.runId, 'ann');
  await run.until(({ state }) => state === 'paused');
  await approve(run, approval!);
  expect((await run.until(() => true)).state).toBe('paused');
  await resumeRun(house.client, run.runId, 'ann');
  expect((await run.result()).answer).toBe('heard: ann says: be quick');
});

test('anything a person can send by hand from the Temporal UI leaves the run alive', async () => {
  const run = await house.start(oneCommand('true'));
  const [approval] = await openApprovals(run);
  for (const junk of [
    null,
    7,
    'x',
    [],
    {},
    { id: 9 },
    { id: approval!.id, decision: 'maybe' },
    { text: 5 },
    { by: {} },
  ]) {
    for (const name of [SIGNALS.answer, SIGNALS.send, SIGNALS.resume]) await run.handle.signal(name, junk);
  }
  await run.handle.signal(SIGNALS.answer, { id: approval!.id, decision: 'deny', by: 'by hand' });
  expect((await run.result()).outcome.status).toBe('completed');
});

test('cancel reaches a running command and its process tree, and the transcript is complete', async () => {
  const run = await house.start(oneCommand('sleep 300 & sleep 300; echo never'));
  const [approval] = await openApprovals(run);
  await approve(run, approval!);
  await run.until(({ calls }) => calls.some(({ status }) => status === 'executing'));
  await cancelRun(house.client, run.runId);
  const result = await run.result();
  expect(result.outcome.status).toBe('cancelled');
  const { status } = await run.handle.describe();
  expect(status.name).toBe('CANCELLED');
  const page = await run.handle.query<{ messages: { role: string; content: unknown[] }[] }, [unknown]>('transcript', {
    from: 0,
  });
  expect(JSON.stringify(page.messages.at(-1))).toContain('cancelled');
});
