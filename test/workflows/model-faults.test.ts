import { afterAll, beforeAll, expect, test } from 'vitest';
import { resumeRun } from '../../src/client.ts';
import { faults, type Fault } from '../../src/models/offline/faults.ts';
import { steps } from '../../src/models/offline/scenario.ts';
import { openHouse, replay, type House } from '../support/house.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(async () => {
  await house.close();
});

const hello = steps([{ thinking: 'hm', text: 'hello' }]);

/** Each of these passes by itself: the run retries and ends as if nothing had been. */
const passing: [name: string, fault: Fault][] = [
  ['429 with retry-after', faults.rateLimited(1)],
  ['529', faults.overloaded()],
  ['500', faults.internal()],
  ['an HTML page from a gateway', faults.badGateway()],
  ['200 with HTML', faults.notAMessage()],
  ['a connection that breaks in mid-stream', { kind: 'drop', afterEvents: 3 }],
  ['a stream that ends early in good order', { kind: 'close', afterEvents: 3 }],
  [
    'an error inside the stream',
    { kind: 'error_event', afterEvents: 2, type: 'overloaded_error', message: 'Overloaded' },
  ],
  ['a stream that stalls', { kind: 'stall', afterEvents: 2 }],
  ['a reply that never begins', { kind: 'stall', afterEvents: null }],
];

test.concurrent.each(passing)('a run outlives %s', async (_name, fault) => {
  const runId = `passing-${Math.random().toString(36).slice(2)}`;
  house.model.inject(`offline-${runId}`, fault);
  const run = await house.start(hello, { runId });
  const result = await run.result();
  expect(result).toMatchObject({ outcome: { status: 'completed' }, answer: 'hello', totals: { turns: 1 } });
  expect(house.model.requests(`offline-${runId}`)).toHaveLength(2);
});

const parking: [name: string, fault: Fault, reason: string][] = [
  ['a refused key', faults.unauthorized(), 'credentials'],
  ['a missing permission', faults.forbidden(), 'credentials'],
  ['an unpaid account', faults.paymentRequired(), 'credit'],
  ['a spend limit', faults.spendLimit(), 'credit'],
];

test.concurrent.each(parking)('%s parks the run until somebody resumes it', async (_name, fault, reason) => {
  const runId = `parking-${Math.random().toString(36).slice(2)}`;
  house.model.inject(`offline-${runId}`, fault);
  const run = await house.start(hello, { runId });
  const view = await run.until(({ parked }) => parked !== null);
  expect(view).toMatchObject({ state: 'paused', parked: { reason } });
  // Parked means left alone: nothing hammers the API.
  expect(house.model.requests(`offline-${runId}`)).toHaveLength(1);
  await resumeRun(house.client, run.runId, 'ann');
  expect((await run.result()).answer).toBe('hello');
  await replay(house.client, run.runId);
});

test('a request that the API refuses for good fails the run at once, with its words', async () => {
  const runId = 'rejected-1';
  house.model.inject(`offline-${runId}`, faults.badRequest('tools.0.name: too odd'));
  const run = await house.start(hello, { runId });
  const result = await run.result();
  expect(result.outcome).toMatchObject({ status: 'failed', error: 'ModelRejected' });
  expect(JSON.stringify(result.outcome)).toContain('too odd');
  expect((await run.handle.describe()).status.name).toBe('FAILED');
  expect(house.model.requests(`offline-${runId}`)).toHaveLength(1);
});

test('a call that was cut at max_tokens is not run, and the model is told', async () => {
  const runId = 'cut-1';
  house.model.inject(`offline-${runId}`, { kind: 'cut_call' });
  const script = steps([
    { calls: [{ name: 'write_file', input: { path: 'x.txt', content: 'long '.repeat(50) } }] },
    (seen) => ({ text: seen.lastResults[0]?.text ?? 'none' }),
  ]);
  const result = await (await house.start(script, { runId, policy: { allow: ['write_file'] } })).result();
  expect(result.answer).toContain('was not run');
  expect(result.totals.toolCalls).toBe(0);
});

test('a refusal stops the run as a refusal', async () => {
  const runId = 'refusal-1';
  house.model.inject(`offline-${runId}`, { kind: 'refusal', category: 'cyber' });
  const result = await (await house.start(hello, { runId })).result();
  expect(result.outcome).toMatchObject({ status: 'stopped', reason: 'refusal' });
});

test('a paused turn is sent back as it is, and unknown reasons and kinds are lived with', async () => {
  for (const fault of [
    { kind: 'pause_turn' },
    { kind: 'unknown_kinds' },
    { kind: 'stop', stopReason: 'brand_new' },
  ] as const) {
    const runId = `odd-${fault.kind}`;
    house.model.inject(`offline-${runId}`, fault);
    const result = await (
      await house.start(steps([{ thinking: 'hm', text: 'hello' }, { text: 'hello again' }]), { runId })
    ).result();
    expect(result.outcome.status).toBe('completed');
  }
});

test('a conversation that no longer fits is compacted, and the run goes on', async () => {
  const runId = 'context-1';
  const script = steps([
    ...Array.from({ length: 4 }, (_, i) => ({ thinking: `think ${i}`, calls: [{ name: 'ls', input: {} }] })),
    { text: 'unused' },
  ]);
  const run = await house.start(
    (seen) => (seen.words.some((word) => word.includes('compacted')) ? { text: 'went on' } : script(seen)),
    { runId },
  );
  house.model.inject(`offline-${runId}`, [
    { kind: 'drip', pauseMs: 0 },
    { kind: 'drip', pauseMs: 0 },
    { kind: 'drip', pauseMs: 0 },
    faults.promptTooLong(),
  ]);
  const result = await run.result();
  expect(result).toMatchObject({ outcome: { status: 'completed' }, answer: 'went on' });
  expect((await run.events()).some(({ type }) => type === 'run.compacted')).toBe(true);
  await replay(house.client, run.runId);
});

test('a reply too large for history is thrown away, paid for, and asked for again', async () => {
  const runId = 'huge-1';
  house.model.inject(`offline-${runId}`, { kind: 'huge', bytes: 5_000_000 });
  const run = await house.start(
    (seen) => ({ text: seen.words.some((word) => word.includes('too large')) ? 'short' : 'long' }),
    { runId },
  );
  const result = await run.result();
  expect(result).toMatchObject({ outcome: { status: 'completed' }, answer: 'short' });
  expect(result.totals.usage.output).toBeGreaterThan(1_000_000);
});

test('the conversation is append-only through errors, pauses and retries: every thinking signature still fits', async () => {
  const runId = 'append-1';
  house.model.inject(`offline-${runId}`, [faults.overloaded(), { kind: 'drop', afterEvents: 4 }]);
  const script = steps(
    Array.from({ length: 6 }, (_, i) =>
      i < 5 ? { thinking: `step ${i}`, calls: [{ name: 'ls', input: {} }] } : { thinking: 'end', text: 'done' },
    ),
  );
  expect((await (await house.start(script, { runId })).result()).answer).toBe('done');
});
