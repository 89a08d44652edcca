import type { Client } from '@temporalio/client';
import type { LedgerView } from '../contract/budget.ts';
import { LEDGER } from '../contract/names.ts';
import { describeRun, queryRun } from './reading.ts';

/**
 * What is known of the budgets that runs share. `none`: no run has leased from them yet. `asleep`: no worker answers for
 * the ledger, and what it holds is told when one does.
 */
export type LedgerReading =
  | { readonly kind: 'live'; readonly view: LedgerView }
  | { readonly kind: 'none' }
  | { readonly kind: 'asleep' | 'unreachable'; readonly message: string };

/** Reads the ledger, within about three seconds whatever is down. */
export async function readLedger(client: Client, ledger: string = LEDGER.id): Promise<LedgerReading> {
  const described = await describeRun(client, ledger);
  if ('kind' in described)
    return described.kind === 'gone' ? { kind: 'none' } : { kind: 'unreachable', message: described.message };
  try {
    return { kind: 'live', view: await queryRun<LedgerView>(client, ledger, { name: LEDGER.query, input: {} }) };
  } catch (error) {
    return { kind: 'asleep', message: error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error) };
  }
}
