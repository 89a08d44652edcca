import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openLedgerDesk } from '../../src/activities/ledger-desk.ts';
import { listBudgets } from '../../src/cli/commands/budget.ts';
import { openHouse, type House } from '../support/house.ts';
import { openPerson, type Person } from './support/person.ts';

let house: House;
let person: Person;
let context: Person['context'];
beforeAll(async () => {
  [house, person] = await Promise.all([openHouse(), openPerson(async () => await Promise.resolve(''))]);
  const temporal = { address: inject('temporalAddress'), namespace: 'default' };
  context = { ...person.context, settings: { ...person.context.settings, temporal } };
});
afterAll(async () => await Promise.all([house.close(), person.close()]));

const newLedger = (): string => `ledger-${randomBytes(4).toString('hex')}`;

async function lease(ledger: string): Promise<void> {
  const caps = [
    { key: 'day:2100-01-01', costUsd: 5, tokens: 2_000_000 },
    { key: 'tree:\u001b[2Jroot', costUsd: 1 },
  ];
  const desk = openLedgerDesk();
  const place = { client: house.client, ledger, taskQueue: house.taskQueue };
  const none = { costUsd: 0, tokens: 0 };
  const wanted = { costUsd: 0.02, tokens: 5_000 };
  const topUp = { id: 'a.1', cap: 'day:2100-01-01', by: 'ann', costUsd: 2, tokens: 0 };
  await desk(place, { run: 'a', execution: 'a', caps, input: { lease: 1, wanted, spent: none, topUp } });
  const spent = { costUsd: 0.25, tokens: 12_345 };
  await desk(place, { run: 'a', execution: 'a', caps, input: { lease: 2, wanted: none, spent, isLast: true } });
  await desk(place, { run: 'b', execution: 'b', caps, input: { lease: 1, wanted, spent: none } });
}

test('budget ls shows what each budget allows, what is spent of it, in hand and left', async () => {
  const ledger = newLedger();
  await lease(ledger);
  expect(await listBudgets(context, { ledger })).toBe(0);
  expect(
    person
      .printed()
      .split('\n')
      .map((line) => line.split(/ {2,}/u)),
  ).toEqual([
    ['BUDGET', 'CAP', 'TOPPED UP', 'SPENT', 'LEASED', 'LEFT'],
    [
      'day:2100-01-01',
      '$5.00, 2,000,000 tokens',
      '$2.00, 0 tokens',
      '$0.25, 12,345 tokens',
      '$0.02, 5,000 tokens',
      '$6.73, 1,982,655 tokens',
    ],
    // What somebody put into a name cannot move the cursor of whoever reads it.
    ['tree:\\x1b[2Jroot', '$1.00', '$0.25, 12,345 tokens', '$0.02, 5,000 tokens', '$0.73'],
  ]);
});

test('budget ls --json has the numbers themselves', async () => {
  const ledger = newLedger();
  await lease(ledger);
  const before = person.printed().length;
  await listBudgets(context, { ledger, json: true });
  const [first] = JSON.parse(person.printed().slice(before)) as readonly unknown[];
  expect(first).toEqual({
    key: 'day:2100-01-01',
    cap: { costUsd: 5, tokens: 2_000_000 },
    topped_up: { costUsd: 2, tokens: 0 },
    spent: { costUsd: 0.25, tokens: 12_345 },
    leased: { costUsd: 0.02, tokens: 5_000 },
    left: { costUsd: 6.73, tokens: 1_982_655 },
  });
});

test('budget ls says that no run has leased yet', async () => {
  expect(await listBudgets(context, { ledger: newLedger() })).toBe(0);
  expect(person.said()).toContain('No run has leased from a budget yet');
});

test('budget ls says within seconds that no worker answers', async () => {
  const ledger = newLedger();
  await house.client.workflow.start('budgetLedger', { workflowId: ledger, taskQueue: `nobody-${ledger}`, args: [] });
  await expect(listBudgets(context, { ledger })).rejects.toThrow(
    /^Cannot read the ledger of budgets: no worker answers/u,
  );
});
