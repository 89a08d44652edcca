import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { WorkflowFailedError, type Client } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { leaseBudget } from '../../src/activities/lease-budget.ts';
import { openLedgerDesk } from '../../src/activities/ledger-desk.ts';
import { TranscriptCache } from '../../src/activities/transcript-cache.ts';
import { readLedger } from '../../src/client/budget.ts';
import type { LeaseInput, LeaseResult } from '../../src/contract/activities.ts';
import { connectClient, type ClientConnection } from '../../src/temporal/connect.ts';
import { dataConverter } from '../../src/temporal/data-converter.ts';

const WORKFLOWS = join(import.meta.dirname, '..', 'support', 'leasing-workflow.ts');
const id = randomBytes(4).toString('hex');
const taskQueue = `lease-${id}`;
const ledger = `ledger-${id}`;
const none = { costUsd: 0, tokens: 0 };

// The warnings about what is to fail are noise: it is asserted.
Runtime.install({ logger: new DefaultLogger('ERROR') });

let connected: ClientConnection;
let client: Client;
let connection: NativeConnection;
let worker: Worker;
let ended: Promise<void>;
beforeAll(async () => {
  const address = inject('temporalAddress');
  connected = await connectClient({ address, namespace: 'default' });
  client = connected.client;
  connection = await NativeConnection.connect({ address });
  const dependencies = { transcripts: new TranscriptCache(), desk: openLedgerDesk() };
  worker = await Worker.create({
    connection,
    taskQueue,
    dataConverter,
    workflowBundle: await bundleWorkflowCode({ workflowsPath: WORKFLOWS, logger: new DefaultLogger('ERROR') }),
    activities: { leaseBudget: async (input: LeaseInput) => await leaseBudget(dependencies, input) },
  });
  ended = worker.run();
});
afterAll(async () => {
  worker.shutdown();
  await ended;
  await Promise.all([connection.close(), connected.close()]);
});

async function leaseAs(run: string, budget: unknown, inputs: readonly LeaseInput[]): Promise<readonly LeaseResult[]> {
  const workflowId = `${run}-${id}`;
  return (await client.workflow.execute('leasingRun', {
    workflowId,
    taskQueue,
    args: [budget, inputs],
  })) as LeaseResult[];
}

const budget = { atCap: 'ask', ledger, caps: [{ key: 'tree:t', costUsd: 1 }] };

test('a run leases by activity from the ledger of its spec, which is started when it is not there', async () => {
  const wanted = { costUsd: 0.4, tokens: 1_000 };
  const results = await leaseAs('spender', budget, [
    { lease: 1, wanted, spent: none },
    { lease: 2, wanted, spent: { costUsd: 0.7, tokens: 900 } },
    { lease: 3, wanted: none, spent: { costUsd: 0.7, tokens: 900 }, isLast: true },
  ]);
  expect(results).toMatchObject([
    { status: 'granted', granted: wanted },
    { status: 'refused', cap: 'tree:t', left: { costUsd: 0.3, tokens: 1_000 } },
    { status: 'granted', granted: none },
  ]);
  expect(await readLedger(client, ledger)).toMatchObject({
    kind: 'live',
    view: { counters: [{ spent: { costUsd: 0.7, tokens: 900 }, leased: none }] },
  });
});

test('many runs that ask at once all hear their own answer', async () => {
  const runs = Array.from({ length: 30 }, (_, number) => number + 1);
  const wide = { ...budget, caps: [{ key: 'tree:wide', costUsd: 1_000 }] };
  const answers = await Promise.all(
    runs.map(
      async (number) =>
        await leaseAs(`run-${number}`, wide, [
          { lease: 1, wanted: { costUsd: number / 1_000, tokens: 0 }, spent: none },
        ]),
    ),
  );
  expect(answers.map(([answer]) => answer?.status === 'granted' && answer.granted.costUsd)).toEqual(
    runs.map((number) => (number * 8) / 1_000),
  );
});

const mistakes: [name: string, budget: unknown, input: LeaseInput, message: RegExp][] = [
  ['a spec without a budget', null, { lease: 1, wanted: none, spent: none }, /names no ledger with caps/u],
  [
    'a budget without caps',
    { ...budget, caps: [] },
    { lease: 1, wanted: none, spent: none },
    /names no ledger with caps/u,
  ],
  ['a lease of number 0', budget, { lease: 0, wanted: none, spent: none }, /Cannot read the request/u],
];
test.each(mistakes)('%s fails at once, instead of being tried for ever', async (name, given, input, message) => {
  const failed = leaseAs(name.replaceAll(' ', '-'), given, [input]);
  await expect(failed).rejects.toThrow(WorkflowFailedError);
  await expect(failed).rejects.toMatchObject({
    cause: { cause: { message: expect.stringMatching(message) as string } },
  });
});
