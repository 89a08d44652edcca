import type { Client } from '@temporalio/client';
import { findRun, readRun, type Reading } from '../client.ts';
import { CommandFailure } from './command-failure.ts';
import { EXIT } from './exit-codes.ts';
import { visible } from './text/visible.ts';

/**
 * The id of the run that a person means: an id, an unambiguous beginning of one, or `@last`.
 *
 * @throws {CommandFailure} there is none, or there are several
 */
export async function idOfRun(client: Client, name: string): Promise<string> {
  const named = await findRun(client, name);
  if (named.kind === 'run') return named.runId;
  const shown = visible(name.slice(0, 200));
  if (named.kind === 'none')
    throw new CommandFailure(
      EXIT.notFound,
      `Cannot find the run "${shown}": there is none; "nightshift runs ls" lists them`,
    );
  throw new CommandFailure(
    EXIT.usage,
    `Cannot tell which run "${shown}" is: ${named.runIds.slice(0, 5).join(', ')} all begin with it`,
  );
}

export type KnownReading = Exclude<Reading, { readonly kind: 'gone' | 'unreachable' }>;

/** Reads a run. @throws {CommandFailure} it is gone, or the server does not answer */
export async function readKnownRun(client: Client, runId: string): Promise<KnownReading> {
  const reading = await readRun(client, runId);
  if (reading.kind === 'gone')
    throw new CommandFailure(
      EXIT.notFound,
      `Cannot find the run "${visible(runId)}": the server knows none of this id`,
    );
  if (reading.kind === 'unreachable')
    throw new CommandFailure(
      EXIT.unreachable,
      `Cannot read "${runId}": the server does not answer, ${visible(reading.message)}`,
    );
  return reading;
}
