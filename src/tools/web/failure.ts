import { oneLine } from '../one-line.ts';
import { ToolError } from '../tool.ts';

const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'there is no such host',
  ENODATA: 'the host has no address',
  EAI_AGAIN: 'the name server does not answer',
  ECONNREFUSED: 'the host refuses the connection',
  ECONNRESET: 'the connection broke',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ETIMEDOUT: 'the host does not answer',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  Z_DATA_ERROR: 'its body is damaged',
};

/**
 * Turns a failure of the network into a `ToolError`; it may be gone the next time. Anything else is given back as it is.
 * Only its code is shown: the message may hold an operator's address with a key in it.
 */
export function failureOf(error: unknown, attempt: string): unknown {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return error;
  const reason = REASONS[error.code] ?? oneLine(error.code, 100);
  return new ToolError('execution_failed', `${attempt}: ${reason}`, { passing: true });
}
