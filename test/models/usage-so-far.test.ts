import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Usage } from '../../src/contract/messages.ts';
import { faults, type Fault } from '../../src/models/offline/faults.ts';
import { startOfflineModel, type OfflineModel } from '../../src/models/offline/server.ts';
import { failureOf, modelAt, quiet, requestTo, speech } from './offline/calling.ts';

let offline: OfflineModel;
beforeAll(async () => {
  offline = await startOfflineModel();
});
afterAll(async () => {
  await offline.close();
});

const price = { input: 10, output: 100, cacheRead: 1, cacheWrite: 20 };

/** In US dollars, at the price above. */
function worth({ input, output, cacheRead, cacheWrite }: Omit<Usage, 'costUsd'>): number {
  return (input * 10 + output * 100 + cacheRead + cacheWrite * 20) / 1_000_000;
}

const broken: [name: string, fault: Fault][] = [
  ['breaks right after it began', { kind: 'drop', afterEvents: 1 }],
  ['breaks in the middle of its thinking', { kind: 'drop', afterEvents: 4 }],
  ['breaks in the middle of a call', { kind: 'drop', afterEvents: 14 }],
  ['ends early in good order', { kind: 'close', afterEvents: 8 }],
  [
    'tells its failure inside the stream',
    { kind: 'error_event', afterEvents: 8, type: 'overloaded_error', message: 'Overloaded' },
  ],
  ['goes silent', { kind: 'stall', afterEvents: 8 }],
  ['breaks when all was said and counted', { kind: 'drop', afterEvents: 99 }],
];

test.each(broken)('a reply that %s is known to have used what it is billed for', async (name, fault) => {
  const id = `offline-broken ${name}`;
  offline.script(id, () => speech);
  offline.inject(id, fault);
  const { usage } = await failureOf(modelAt(offline, { idleMs: 200 }).call(requestTo(id, { price }), quiet()));
  const billed = offline.billed(id);
  expect(billed.input).toBeGreaterThan(10);
  expect(usage).toEqual({ ...billed, costUsd: worth(billed) });
});

test('a summary of the API that breaks off is counted, although its usage is told apart', async () => {
  const id = 'offline-broken-summary';
  offline.script(id, () => ({ text: 'what was done' }));
  offline.inject(id, { kind: 'drop', afterEvents: 2 });
  const { usage } = await failureOf(modelAt(offline).call(requestTo(id, { compaction: {} }), quiet()));
  expect(usage).toEqual({ ...offline.billed(id), costUsd: 0 });
  expect(usage?.input).toBeGreaterThan(10);
});

test.each<[string, Fault]>([
  ['429', faults.rateLimited(1)],
  ['529', faults.overloaded()],
  ['400', faults.badRequest('odd')],
  ['an HTML page', faults.badGateway()],
  ['200 with HTML', faults.notAMessage()],
  ['no answer at all', { kind: 'stall', afterEvents: null }],
  ['headers and nothing more', { kind: 'close', afterEvents: 0 }],
])('a request that gets %s used nothing', async (name, fault) => {
  const id = `offline-refused ${name}`;
  offline.script(id, () => speech);
  offline.inject(id, fault);
  const error = await failureOf(modelAt(offline, { connectMs: 200 }).call(requestTo(id), quiet()));
  expect(error.usage).toBeUndefined();
  expect(offline.billed(id)).toEqual({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0 });
});

test('a call that is cancelled in mid-stream says what it used', async () => {
  const id = 'offline-cancelled';
  offline.script(id, () => speech);
  offline.inject(id, { kind: 'stall', afterEvents: 6 });
  const controller = new AbortController();
  let told = 0;
  const onUsage = (): void => {
    told += 1;
    // The ping is no event of the message.
    if (told === 5) controller.abort();
  };
  const call = modelAt(offline).call(requestTo(id), quiet({ signal: controller.signal, onUsage }));
  const error = await failureOf(call);
  expect(error.kind).toBe('cancelled');
  expect(error.usage).toEqual({ ...offline.billed(id), costUsd: 0 });
});

test('usage is told from the beginning, never shrinks before it is counted, and ends as that of the reply', async () => {
  const id = 'offline-told';
  offline.script(id, () => speech);
  const told: Usage[] = [];
  const onUsage = (usage: Usage): void => {
    told.push(usage);
    throw new Error('the watcher is broken');
  };
  const reply = await modelAt(offline).call(requestTo(id), quiet({ onUsage }));
  expect(told[0]).toMatchObject({ input: reply.usage.input, output: 1 });
  const estimates = told.slice(0, -2).map(({ output }) => output);
  expect(estimates).toEqual(estimates.toSorted((a, b) => a - b));
  expect(told.at(-1)).toEqual(reply.usage);
  expect(reply.usage).toEqual({ ...offline.billed(id), costUsd: 0 });
});
