import { APIError } from '@anthropic-ai/sdk';
import type { Usage } from '../contract/messages.ts';
import { ModelError, type ModelErrorDetails } from './model.ts';
import { retryAfterMs } from './retry-after.ts';

/** What the caller of the SDK knows about a failure that the error itself does not say. */
export interface FailureContext {
  readonly model: string;
  /** The caller's signal had fired. */
  readonly cancelled: boolean;
  /** Milliseconds without a byte after which we gave up, or null when we did not. */
  readonly silentMs: number | null;
  /** What the call used until it failed. */
  readonly usage?: Usage | undefined;
}

/** Characters of an answer that are repeated in an error; a gateway may answer with a whole page. */
const ANSWER_CHARACTERS_MAX = 500;

/** Causes may form a circle. */
const CAUSES_TOLD_MAX = 3;

/**
 * Failures told inside a stream come with status 200, so the class of the SDK says nothing; their `type` does.
 * A type that is not here is taken as passing.
 */
const STATUS_OF_TYPE: ReadonlyMap<string, number> = new Map(
  Object.entries({
    invalid_request_error: 400,
    authentication_error: 401,
    billing_error: 402,
    permission_error: 403,
    not_found_error: 404,
    conflict_error: 409,
    request_too_large: 413,
    rate_limit_error: 429,
    api_error: 500,
    timeout_error: 504,
    overloaded_error: 529,
  }),
);

/** The API tells an empty account as a plain 400 whose only mark is its text. */
const OUT_OF_CREDIT =
  /credit balance is too low|reached your specified \S+ usage limits|spend(ing)? limit (has been )?(reached|exceeded)/i;

const CONTEXT_FULL = /prompt is too long|exceeds? (the )?(maximum )?context|context (window|length|limit)/i;

/** Turns whatever a call threw into a `ModelError`. The order of the questions matters; each is asked once. */
export function classifyFailure(error: unknown, context: FailureContext): ModelError {
  const { usage } = context;
  const classified = classify(error, context);
  if (usage === undefined) return classified;
  return new ModelError(classified.message, { ...classified, cause: classified.cause, usage });
}

function classify(error: unknown, context: FailureContext): ModelError {
  if (error instanceof ModelError) return error;
  if (context.cancelled) return failure(context, { kind: 'cancelled', cause: error }, 'it was cancelled');
  if (context.silentMs !== null) {
    return failure(context, { kind: 'unavailable', cause: error }, `the answer was silent for ${context.silentMs} ms`);
  }
  // Everything that is not an answer of the API is the way to it: no connection, a broken or an ended stream.
  if (!(error instanceof APIError)) return failure(context, { kind: 'unavailable', cause: error }, textOf(error));
  const status = error.status ?? STATUS_OF_TYPE.get(error.type ?? '');
  const wait = retryAfterMs(error.headers, Date.now());
  const details = { ...judge(error, status), cause: error };
  return failure(
    context,
    wait !== undefined && details.kind === 'unavailable' ? { ...details, retryAfterMs: wait } : details,
    answerOf(error),
  );
}

function judge(error: APIError, status: number | undefined): ModelErrorDetails {
  const wish = error.headers?.get('x-should-retry');
  if (wish === 'true') return { kind: 'unavailable' };
  if (status === undefined) return { kind: 'unavailable' };
  if (isOutOfCredit(error, status)) return { kind: 'operator', operator: 'credit' };
  if (status === 401 || status === 403) return { kind: 'operator', operator: 'credentials' };
  if (isContextFull(error, status)) return { kind: 'context' };
  if (wish === 'false') return { kind: 'rejected' };
  return isPassing(status) ? { kind: 'unavailable' } : { kind: 'rejected' };
}

function isPassing(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500 || status < 400;
}

/**
 * A limit of money never lifts by waiting a little. It comes as 402, as a 429 that names the limit and gives no
 * time to wait, or as a 400.
 */
function isOutOfCredit(error: APIError, status: number): boolean {
  if (status === 402 || error.type === 'billing_error') return true;
  if (status === 429) return namesMoney(error) && error.headers?.has('retry-after') !== true;
  return (status === 400 || status === 403) && (namesMoney(error) || OUT_OF_CREDIT.test(error.apiMessage ?? ''));
}

function namesMoney({ errorCode }: APIError): boolean {
  return /spend_limit|billing|credit/.test(errorCode ?? '');
}

function isContextFull(error: APIError, status: number): boolean {
  return status === 413 || (status === 400 && CONTEXT_FULL.test(error.apiMessage ?? ''));
}

function failure({ model }: FailureContext, details: ModelErrorDetails, reason: string): ModelError {
  return new ModelError(`Cannot call "${model}": ${reason}`, details);
}

function answerOf(error: APIError): string {
  const words = error.apiMessage ?? textOf(error);
  if (error.status === undefined && error.type === null) return words;
  const head = [error.status ?? 'in mid-stream', error.type].filter((part) => part !== null).join(' ');
  const id = typeof error.requestID === 'string' ? ` (request ${error.requestID})` : '';
  return `the API answered ${head}: ${short(words)}${id}`;
}

/** The message with those of its causes: the SDK wraps what undici wraps, and the reason stands innermost. */
function textOf(error: unknown, depth = 0): string {
  if (!(error instanceof Error)) return short(String(error));
  const words = error.message.replace(/\.$/, '');
  const { cause } = error;
  if (!(cause instanceof Error) || depth >= CAUSES_TOLD_MAX || words.includes(cause.message)) return short(words);
  return short(`${words}: ${textOf(cause, depth + 1)}`);
}

function short(text: string): string {
  return text.length <= ANSWER_CHARACTERS_MAX ? text : `${text.slice(0, ANSWER_CHARACTERS_MAX)}…`;
}
