import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpFault } from './faults.ts';
import { RequestRefused } from './refused.ts';

/** One HTTP request and the way to answer it. `requestId` goes into the header `request-id`. */
export interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
}

/** The limit of the real API. */
const BODY_BYTES_MAX = 32 * 1_024 * 1_024;

/** Reads a JSON body, or throws `RequestRefused`. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > BODY_BYTES_MAX) throw new RequestRefused('Request exceeds the maximum size', 413, 'request_too_large');
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new RequestRefused('The request body is not valid JSON');
  }
}

/** The key of a request, from either header that clients use. */
export function keyOf({ headers }: IncomingMessage): string | null {
  const bearer = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1];
  const plain = headers['x-api-key'];
  return bearer ?? (typeof plain === 'string' ? plain : null);
}

export function sendJson(response: ServerResponse, body: unknown, requestId: string): void {
  response.writeHead(200, { 'content-type': 'application/json', 'request-id': requestId });
  response.end(JSON.stringify(body));
}

export function sendError(response: ServerResponse, fault: Omit<HttpFault, 'kind'>, requestId: string): void {
  const { status, type, message, errorCode, retryAfterSeconds, shouldRetry } = fault;
  response.writeHead(status, {
    'content-type': 'application/json',
    'request-id': requestId,
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
    ...(shouldRetry === undefined ? {} : { 'x-should-retry': String(shouldRetry) }),
  });
  const details = errorCode === undefined ? null : { error_code: errorCode };
  response.end(JSON.stringify({ type: 'error', error: { type, message, details }, request_id: requestId }));
}

/** A page such as a gateway sends when it has lost what is behind it. */
export function sendPage(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'text/html' });
  response.end('<html><head><title>Bad gateway</title></head><body><h1>Bad gateway</h1></body></html>');
}
