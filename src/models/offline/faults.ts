/**
 * What can go wrong on the way to a model and back. Each is used once, by the next request to its model.
 * `afterEvents` counts server-sent events, pings included; the last event of a stream is never sent.
 */
export type Fault =
  | HttpFault
  /** A page that is no answer of the API, as a gateway sends it. */
  | { readonly kind: 'html'; readonly status: number }
  /** The connection breaks. */
  | { readonly kind: 'drop'; readonly afterEvents: number }
  /** The stream ends in good order, but too early. */
  | { readonly kind: 'close'; readonly afterEvents: number }
  /** The API tells its failure inside the stream. */
  | { readonly kind: 'error_event'; readonly afterEvents: number; readonly type: string; readonly message: string }
  /** Nothing more comes, until the client goes away or the server is closed. `null`: not even the headers. */
  | { readonly kind: 'stall'; readonly afterEvents: number | null }
  /** Every event comes after `pauseMs` milliseconds. */
  | { readonly kind: 'drip'; readonly pauseMs: number }
  /** The last call is cut in the middle of its input, and the stop reason is `max_tokens`. */
  | { readonly kind: 'cut_call' }
  /** The reply ends with this stop reason; calls in it stay. */
  | { readonly kind: 'stop'; readonly stopReason: string }
  /** The reply is refused: there is no content, and the details name a category. */
  | { readonly kind: 'refusal'; readonly category: string }
  /** The server stops in the middle of a tool of its own and wants to be called again. */
  | { readonly kind: 'pause_turn' }
  /** A block, a piece and an event of kinds that no one knows come along. */
  | { readonly kind: 'unknown_kinds' }
  /** A text of so many bytes takes the place of the reply. */
  | { readonly kind: 'huge'; readonly bytes: number };

/** An answer of the API with an error. `retryAfterSeconds` and `shouldRetry` become headers. */
export interface HttpFault {
  readonly kind: 'http';
  readonly status: number;
  readonly type: string;
  readonly message: string;
  readonly errorCode?: string;
  readonly retryAfterSeconds?: number;
  readonly shouldRetry?: boolean;
}

/** The failures that every caller of the API must be ready for, with the words of the real one. */
export const faults = {
  rateLimited: (retryAfterSeconds: number): Fault => ({
    ...http(429, 'rate_limit_error', 'Number of requests has exceeded your rate limit'),
    retryAfterSeconds,
  }),
  spendLimit: (): Fault => ({
    ...http(429, 'rate_limit_error', 'The organization has crossed its monthly usage threshold'),
    errorCode: 'enforced_spend_limit_reached',
  }),
  overloaded: (): Fault => http(529, 'overloaded_error', 'Overloaded'),
  compactionUnavailable: (): Fault => ({
    ...http(529, 'overloaded_error', 'Compaction is temporarily unavailable'),
    errorCode: 'compaction_unavailable',
  }),
  internal: (): Fault => http(500, 'api_error', 'Internal server error'),
  badGateway: (): Fault => ({ kind: 'html', status: 502 }),
  notAMessage: (): Fault => ({ kind: 'html', status: 200 }),
  unauthorized: (): Fault => http(401, 'authentication_error', 'invalid x-api-key'),
  forbidden: (): Fault =>
    http(403, 'permission_error', 'Your API key does not have permission to use the specified resource'),
  paymentRequired: (): Fault => http(402, 'billing_error', 'Your account needs a valid payment method'),
  outOfCredit: (): Fault =>
    http(
      400,
      'invalid_request_error',
      'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
    ),
  badRequest: (message: string): Fault => http(400, 'invalid_request_error', message),
  promptTooLong: (): Fault => http(400, 'invalid_request_error', 'prompt is too long: 208310 tokens > 200000 maximum'),
  tooLarge: (): Fault => http(413, 'request_too_large', 'Request exceeds the maximum size'),
} as const;

function http(status: number, type: string, message: string): HttpFault {
  return { kind: 'http', status, type, message };
}
