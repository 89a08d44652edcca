import { ApplicationFailure } from '@temporalio/activity';
import { FAILURES } from '../contract/names.ts';
import type { CallClaim, Ledger } from '../tools/ledger/ledger.ts';

/** How soon a step tries again whose workspace may still be written to by an earlier one. */
const BUSY_RETRY_MS = 2_000;

/** Fails the attempt; Temporal makes another before long. */
function busy(why: string): ApplicationFailure {
  return ApplicationFailure.create({
    message: `Cannot start in this workspace yet: ${why}`,
    type: FAILURES.workspaceBusy,
    nextRetryDelay: BUSY_RETRY_MS,
  });
}

/**
 * Does a step at most once where that matters, under its claim: what an earlier attempt stored is its result, and where
 * one was lost, `unknown` is what can be said. `what` names the step for people.
 */
export async function onceClaimed<T>(
  ledger: Ledger,
  claim: CallClaim,
  { what, work, unknown }: { readonly what: string; readonly work: () => Promise<T>; readonly unknown: () => T },
): Promise<T> {
  const kept = await ledger.once<T>(claim, work);
  switch (kept.kind) {
    case 'done':
    case 'stored':
      return kept.value;
    case 'busy':
      throw busy(
        `another attempt of this ${what} is still running (process ${kept.holder.pid} on ${kept.holder.host})`,
      );
    case 'unknown':
      return unknown();
  }
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
