import { ConfigError } from '../config/config-error.ts';
import { StartRefused } from '../client.ts';
import {
  DatabaseDamaged,
  NoServerError,
  NotAllowed,
  ServerDidNotStart,
  ServerUnreachable,
} from '../temporal/errors.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';

/** A command cannot do what was asked; the message is what the person reads. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

export interface ExplainedFailure {
  readonly exitCode: ExitCode;
  readonly message: string;
}

/** What a person reads about an error, and the exit code for it. An error of no known kind is a bug and shows its stack. */
export function explainFailure(error: unknown): ExplainedFailure {
  if (error instanceof CommandFailure) return { exitCode: error.exitCode, message: error.message };
  const exitCode = knownExitCode(error);
  if (exitCode !== null) return { exitCode, message: (error as Error).message };
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { exitCode: EXIT.failed, message: `Nightshift has a bug, or met something it does not know: ${text}` };
}

function knownExitCode(error: unknown): ExitCode | null {
  if (error instanceof ConfigError) return EXIT.usage;
  if (error instanceof StartRefused) return error.reason === 'exists' ? EXIT.conflict : EXIT.usage;
  if (error instanceof NotAllowed) return EXIT.notAllowed;
  const unreachable = [NoServerError, ServerUnreachable, ServerDidNotStart, DatabaseDamaged];
  return unreachable.some((kind) => error instanceof kind) || isTransport(error) ? EXIT.unreachable : null;
}

/** The server went away in the middle: a gRPC error says so by its code, 4 (deadline) or 14 (unavailable). */
function isTransport(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : undefined;
  return code === 4 || code === 14 || isTransport(error.cause);
}
