import {
  allHandlersFinished,
  ApplicationFailure,
  condition,
  continueAsNew,
  defineQuery,
  defineUpdate,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { REQUESTS_MAX, type LedgerAnswer, type LedgerView } from '../contract/budget.ts';
import { FAILURES, LEDGER } from '../contract/names.ts';
import { emptyLedger, type Ledger } from '../core/budget/ledger-state.ts';
import { leaseFor, viewOf } from '../core/budget/ledger.ts';
import { REQUEST_SHAPE } from '../core/budget/request.ts';
import { wantsToContinue } from './continuation.ts';
import { orFail } from './ending.ts';

export interface LedgerStart {
  readonly ledger: Ledger;
}

/** The budgets that runs share: it answers as long as anybody asks, and carries its counters from history to history. */
export async function budgetLedger(start?: LedgerStart): Promise<void> {
  const cell = { ledger: { ...emptyLedger, ...start?.ledger } };
  setHandler(
    defineUpdate<readonly LedgerAnswer[], [unknown]>(LEDGER.update),
    orFail((given: unknown) => listOf(given).map((one) => answer(cell, one))),
    {
      description: `Settle slices of the shared budgets and ask for new ones: [${REQUEST_SHAPE}, …]`,
      // Synchronous, because the SDK never awaits a validator.
      validator: orFail((given: unknown) => void listOf(given)),
    },
  );
  setHandler(defineQuery<LedgerView>(LEDGER.query), () => viewOf(cell.ledger), {
    description: 'What was spent, what is reserved and what may be spent, for each budget that runs share',
  });
  await condition(() => wantsToContinue(workflowInfo()) && allHandlersFinished());
  await continueAsNew<typeof budgetLedger>({ ledger: cell.ledger });
}

function answer(cell: { ledger: Ledger }, given: unknown): LedgerAnswer {
  const now = Date.now();
  const answered = leaseFor(cell.ledger, given, { now, today: new Date(now).toISOString().slice(0, 10) });
  cell.ledger = answered.ledger;
  return answered.answer;
}

function listOf(given: unknown): readonly unknown[] {
  if (Array.isArray(given) && given.length > 0 && given.length <= REQUESTS_MAX) return given;
  const expected = `expected a list of 1 to ${REQUESTS_MAX} objects ${REQUEST_SHAPE}`;
  throw ApplicationFailure.nonRetryable(`Cannot read the request: ${expected}`, FAILURES.leaseRefused);
}
