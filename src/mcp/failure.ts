import {
  OAuthClientFlowError,
  OAuthError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from '@modelcontextprotocol/client';

/**
 * What a failed call says about what happened at the server.
 *
 * - `answered`: the server said no.
 * - `not_sent`: the call never reached it; it may be made again by anybody.
 * - `silent`: it did not answer in time.
 * - `lost`: the connection broke, or the answer cannot be read; the call may have happened.
 */
export type Failure = 'answered' | 'not_sent' | 'silent' | 'lost';

/** Codes of the system and of `fetch` for a connection that never came about. */
const NO_CONNECTION = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
];

/** The server no longer knows the session, so it did nothing with the call. */
const SESSION_GONE = 404;

export function failureOf(error: unknown): Failure {
  if (error instanceof SdkHttpError) return ofStatus(error.status);
  if (error instanceof ProtocolError) return 'answered';
  if (error instanceof UnauthorizedError || error instanceof OAuthError) return 'answered';
  if (error instanceof OAuthClientFlowError) return 'answered';
  if (error instanceof SdkError) return ofCode(error.code);
  return hasNoConnection(error) ? 'not_sent' : 'lost';
}

function ofStatus(status: number): Failure {
  if (status === SESSION_GONE) return 'not_sent';
  return status >= 400 && status < 500 ? 'answered' : 'lost';
}

function ofCode(code: SdkErrorCode): Failure {
  switch (code) {
    case SdkErrorCode.RequestTimeout:
      return 'silent';
    case SdkErrorCode.NotConnected:
    case SdkErrorCode.CapabilityNotSupported:
    case SdkErrorCode.MethodNotSupportedByProtocolVersion:
      return 'not_sent';
    case SdkErrorCode.UnsupportedResultType:
      return 'answered';
    default:
      return 'lost';
  }
}

function hasNoConnection(error: unknown): boolean {
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    if ('code' in inner && NO_CONNECTION.includes(String(inner.code))) return true;
  }
  return false;
}
