import type { Command } from 'commander';
import { readLedger } from '../../client/budget.ts';
import type { CounterView } from '../../contract/budget.ts';
import { LEDGER } from '../../contract/names.ts';
import { CommandFailure } from '../command-failure.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import type { Runner } from '../program.ts';
import { withServer } from '../server-access.ts';
import { BUDGET_HEAD, budgetRow, leftOf } from '../text/budget-text.ts';
import { tableText } from '../text/table.ts';
import { safeJson } from '../text/visible.ts';

export interface BudgetFlags {
  /** Workflow id of the ledger. */
  readonly ledger: string;
  readonly json?: true;
}

export function addBudget(program: Command, run: Runner): void {
  const budget = program.command('budget').description('what runs may spend together, and what they spent');
  budget
    .command('ls')
    .description('the budgets of the settings that runs have leased from: per day (UTC), agent and tree of runs')
    .option('--ledger <id>', 'the workflow that holds them', LEDGER.id)
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  nightshift budget ls')
    .action(async (flags: BudgetFlags) => await run(async (context) => await listBudgets(context, flags)));
}

export async function listBudgets(context: Context, { ledger, json }: BudgetFlags): Promise<number> {
  const counters = await withServer(context, async ({ client }) => {
    const reading = await readLedger(client, ledger);
    if (reading.kind === 'live') return reading.view.counters;
    if (reading.kind === 'none') return [];
    const why = reading.kind === 'asleep' ? `no worker answers for it: ${reading.message}` : reading.message;
    throw new CommandFailure(EXIT.unreachable, `Cannot read the ledger of budgets: ${why}`);
  });
  const { terminal } = context;
  if (json === true) terminal.print(safeJson(counters.map(listed), 2));
  else if (counters.length === 0)
    terminal.say('No run has leased from a budget yet. The key "budgets" of the settings makes them.');
  else terminal.print(tableText(BUDGET_HEAD, counters.map(budgetRow)));
  return EXIT.done;
}

function listed(counter: CounterView): unknown {
  const { key, cap, toppedUp, spent, leased } = counter;
  return { key, cap, topped_up: toppedUp, spent, leased, left: leftOf(counter) };
}
