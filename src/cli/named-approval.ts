import type { Client } from '@temporalio/client';
import type { Approval } from '../contract/approvals.ts';
import { CommandFailure } from './command-failure.ts';
import { EXIT } from './exit-codes.ts';
import { idOfRun, readKnownRun } from './named-run.ts';
import { visible } from './text/visible.ts';

export interface NamedApproval {
  readonly runId: string;
  readonly approval: Approval;
  /** False when no worker answers, and the arguments are too long to stand in what the run wrote down. */
  readonly whole: boolean;
}

/**
 * Finds a question by its id, `<run>.<number>`; the run may be given by a beginning of its id or as `@last`. A run
 * alone means its only open question.
 *
 * @throws {CommandFailure} there is no such run or question, or the run has ended
 */
export async function findApproval(client: Client, name: string): Promise<NamedApproval> {
  const { run, number } = partsOf(name);
  const runId = await idOfRun(client, run);
  const reading = await readKnownRun(client, runId);
  const source = reading.kind === 'live' ? reading.view : reading.memo;
  const approvals = source?.approvals ?? [];
  const approval =
    number === null ? onlyOpen(runId, approvals) : approvals.find(({ id }) => id === `${runId}.${number}`);
  if (approval !== undefined)
    return { runId, approval, whole: reading.kind === 'live' || typeof approval.arguments !== 'string' };
  if (reading.kind === 'ended')
    throw new CommandFailure(
      EXIT.conflict,
      `Cannot answer "${visible(name)}": the run has ended, and no question of it is open`,
    );
  throw new CommandFailure(
    EXIT.notFound,
    `Cannot find the question "${visible(name)}": this run has no such question; "nightshift approvals ls" lists the open ones`,
  );
}

export function partsOf(name: string): { readonly run: string; readonly number: string | null } {
  const [, run, number] = /^(.+)\.(\d{1,9})$/u.exec(name) ?? [];
  return run === undefined || number === undefined ? { run: name, number: null } : { run, number };
}

function onlyOpen(runId: string, approvals: readonly Approval[]): Approval | undefined {
  const open = approvals.filter(({ status }) => status === 'open');
  if (open.length > 1)
    throw new CommandFailure(
      EXIT.usage,
      `Cannot tell which question of "${runId}" is meant: ${open.map(({ id }) => id).join(', ')} are open`,
    );
  return open[0];
}
