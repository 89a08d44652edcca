import type { ToolErrorKind } from '../../contract/tool-calls.ts';
import { ToolError } from '../tool.ts';

type Reason = readonly [kind: ToolErrorKind, reason: string];

const REASONS: Readonly<Record<string, Reason>> = {
  ENOENT: ['file_not_found', 'it does not exist'],
  ENOTDIR: ['file_not_found', 'a part of the path is not a folder'],
  EACCES: ['permission_denied', 'the system refuses access'],
  EPERM: ['permission_denied', 'the system refuses access'],
  ELOOP: ['path_not_in_workspace', 'it is a link that cannot be followed safely'],
  EISDIR: ['invalid_params', 'it is a folder'],
  ENAMETOOLONG: ['invalid_params', 'the path is too long'],
  ENOSPC: ['file_write_failure', 'the disk is full'],
  EDQUOT: ['file_write_failure', 'the disk quota is used up'],
  EROFS: ['file_write_failure', 'the file system is read-only'],
};

/** What failed, as the start of a message: `Cannot read "a.txt"`. */
export type Attempt = `Cannot ${string}`;

/**
 * Turns a refusal of the system into a `ToolError`. Anything else (a cancellation, a bug, a `ToolError`) is
 * given back as it is.
 */
export function explained(error: unknown, attempt: Attempt): unknown {
  const code = systemCode(error);
  if (code === undefined) return error;
  const fallback: Reason = [attempt.startsWith('Cannot write') ? 'file_write_failure' : 'execution_failed', code];
  const [kind, reason] = REASONS[code] ?? fallback;
  return new ToolError(kind, `${attempt}: ${reason}`);
}

/** The code of an error from the system (`ENOENT`, …); undefined for errors of other origin. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
