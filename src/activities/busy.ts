import { ApplicationFailure } from '@temporalio/activity';
import { FAILURES } from '../contract/names.ts';
import type { Ledger } from '../tools/ledger/ledger.ts';

/** How soon a step tries again whose workspace may still be written to by an earlier one. */
const BUSY_RETRY_MS = 2_000;

/** Fails the attempt; Temporal makes another before long. */
export function busy(why: string): ApplicationFailure {
  return ApplicationFailure.create({
    message: `Cannot start in this workspace yet: ${why}`,
    type: FAILURES.workspaceBusy,
    nextRetryDelay: BUSY_RETRY_MS,
  });
}

/** A timeout does not prove that the old step stopped; until it has, no other step of this run starts here. */
export async function refuseWhileAbandoned(
  ledger: Ledger,
  { run, key }: { readonly run: string; readonly key: string },
): Promise<void> {
  const [abandoned] = await ledger.abandoned(run, key);
  if (abandoned === undefined) return;
  throw busy(`an earlier call of this run may still be writing (process ${abandoned.pid} on ${abandoned.host})`);
}
