import { ApplicationFailure } from '@temporalio/activity';
import { WithStartWorkflowOperation, WorkflowUpdateFailedError, type Client } from '@temporalio/client';
import type { LeaseResult } from '../contract/activities.ts';
import { REQUESTS_MAX, type LedgerAnswer, type LedgerRequest } from '../contract/budget.ts';
import { FAILURES, LEDGER } from '../contract/names.ts';

/** A ledger answers in milliseconds; one whose worker is gone is asked again by the next attempt. */
const ANSWER_MS_MAX = 10_000;

/** Where a ledger is, or is started. */
export interface LedgerPlace {
  readonly client: Client;
  /** Its workflow id. */
  readonly ledger: string;
  readonly taskQueue: string;
}

/**
 * Asks a ledger for one run.
 *
 * @throws {ApplicationFailure} the ledger cannot answer this request, which is not retried
 */
export type LedgerDesk = (place: LedgerPlace, request: LedgerRequest) => Promise<LeaseResult>;

interface Waiting {
  readonly request: LedgerRequest;
  readonly resolve: (answer: LedgerAnswer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Gathers what runs ask while an answer is on its way, and asks for all of them at once: the server takes ten updates
 * of a workflow at a time and two thousand in one history, so hundreds of runs could not each ask for themselves.
 */
export function openLedgerDesk(): LedgerDesk {
  const queues = new Map<string, Waiting[]>();
  return async (place, request) => {
    const queue = queues.get(place.ledger);
    const answer = await new Promise<LedgerAnswer>((resolve, reject) => {
      const waiting = { request, resolve, reject };
      if (queue !== undefined) return void queue.push(waiting);
      const opened = [waiting];
      queues.set(place.ledger, opened);
      void serve(place, opened, () => queues.delete(place.ledger));
    });
    if (answer.status === 'unanswerable') throw refused(answer.message);
    return answer;
  };
}

/** Ends when nobody waits any more; never rejects. The queue is left in the same moment, so that nobody joins one that ended. */
async function serve(place: LedgerPlace, queue: Waiting[], leave: () => void): Promise<void> {
  while (queue.length > 0) {
    const asked = queue.splice(0, REQUESTS_MAX);
    try {
      // One update after the other is the point: those who come meanwhile go together.
      // oxlint-disable-next-line no-await-in-loop
      const answers = await update(
        place,
        asked.map(({ request }) => request),
      );
      asked.forEach(({ resolve }, index) => resolve(answers[index] ?? MISSING));
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }
  leave();
}

const MISSING: LedgerAnswer = { status: 'unanswerable', message: 'Cannot lease from a budget: the ledger left it out' };

async function update(
  { client, ledger, taskQueue }: LedgerPlace,
  requests: readonly LedgerRequest[],
): Promise<readonly LedgerAnswer[]> {
  const startWorkflowOperation = new WithStartWorkflowOperation(LEDGER.workflowType, {
    workflowId: ledger,
    taskQueue,
    args: [],
    workflowIdConflictPolicy: 'USE_EXISTING',
    staticSummary: 'What runs may spend together',
  });
  try {
    return await client.withDeadline(Date.now() + ANSWER_MS_MAX, async () => {
      type Update = readonly [readonly LedgerRequest[]];
      return await client.workflow.executeUpdateWithStart<() => Promise<void>, readonly LedgerAnswer[], [...Update]>(
        LEDGER.update,
        { args: [requests], startWorkflowOperation },
      );
    });
  } catch (error) {
    if (!(error instanceof WorkflowUpdateFailedError)) throw error;
    throw refused(error.cause?.message ?? error.message);
  }
}

function refused(message: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(message, FAILURES.leaseRefused);
}
