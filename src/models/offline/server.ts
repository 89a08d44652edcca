import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import { factsOf, isOfflineModel, OFFLINE_MODEL_ID } from '../facts.ts';
import { answerMessages, type House } from './answer.ts';
import { prefixesOf } from './binding.ts';
import type { Fault } from './faults.ts';
import { keyOf, readJson, sendError, sendJson, type Visit } from './http.ts';
import { createLedger, type BilledTokens, type RecordedRequest, type RequestCounts } from './ledger.ts';
import { createPromptCache, tokensOf } from './prompt-cache.ts';
import { RequestRefused } from './refused.ts';
import { readPrompt } from './request.ts';
import type { Scenario } from './scenario.ts';

export interface OfflineModelOptions {
  /** A free one when left out. */
  readonly port?: number;
  /** Parts to play, by model id. Every other id gets the part that fits the request. */
  readonly scenarios?: Readonly<Record<string, Scenario>>;
  /** The only key that is taken; any when left out. */
  readonly requireKey?: string;
  /** Milliseconds between two pieces of a stream; 0 when left out. */
  readonly pauseMs?: number;
  /** Requests of each model that are remembered for `requests`; 20 when left out. */
  readonly keep?: number;
}

export interface OfflineModel {
  /** Where the Messages API is, such as `http://127.0.0.1:1234`. */
  readonly url: string;
  /** Gives a model its part; it takes the place of the one before. */
  readonly script: (modelId: string, scenario: Scenario) => void;
  /** Queues what goes wrong; each next request to the model uses one. */
  readonly inject: (modelId: string, fault: Fault | readonly Fault[]) => void;
  /** The newest requests to a model, oldest first. */
  readonly requests: (modelId: string) => readonly RecordedRequest[];
  readonly counts: (modelId: string) => RequestCounts;
  /** What all requests to a model are billed for, broken ones included. */
  readonly billed: (modelId: string) => BilledTokens;
  /** Ends every connection, stalled ones included. May be called twice. */
  readonly close: () => Promise<void>;
}

const KEEP = 20;

/**
 * Starts a Messages API on 127.0.0.1 that plays scenarios instead of asking a model. It needs no network, no key
 * and no state of its own: what it says is a function of the request.
 */
export async function startOfflineModel(options: OfflineModelOptions = {}): Promise<OfflineModel> {
  const ledger = createLedger(options.keep ?? KEEP);
  const closing = new AbortController();
  const house: House = { ledger, cache: createPromptCache(), pauseMs: options.pauseMs ?? 0, closing: closing.signal };
  for (const [modelId, scenario] of Object.entries(options.scenarios ?? {})) ledger.of(modelId).scenario = scenario;
  const server = createServer(
    (request, response) => void serve({ house, requireKey: options.requireKey }, request, response),
  );
  const url = await listen(server, options.port ?? 0);
  return {
    url,
    script: (modelId, scenario) => void (ledger.of(modelId).scenario = scenario),
    inject: (modelId, fault) => void ledger.of(modelId).faults.push(...[fault].flat()),
    requests: (modelId) => [...ledger.of(modelId).recorded],
    counts: (modelId) => ({ ...ledger.of(modelId).counts }),
    billed: (modelId) => ledger.of(modelId).billed,
    async close() {
      closing.abort();
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function listen(server: Server, port: number): Promise<string> {
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new Error(
      `Cannot start the offline model on port ${port}: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
  }
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Door {
  readonly house: House;
  readonly requireKey: string | undefined;
}

async function serve(door: Door, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const requestId = `req_${randomUUID().replaceAll('-', '')}`;
  // A client that goes away is no failure of ours; its end is seen through the signal of the visit.
  response.on('error', () => undefined);
  try {
    await route(door, { request, response, requestId });
  } catch (error) {
    if (response.headersSent) response.destroy();
    else if (error instanceof RequestRefused) sendError(response, error, requestId);
    else sendError(response, { status: 500, type: 'api_error', message: String(error) }, requestId);
  }
}

async function route({ house, requireKey }: Door, { request, response, requestId }: Visit): Promise<void> {
  if (requireKey !== undefined && keyOf(request) !== requireKey)
    throw new RequestRefused('invalid x-api-key', 401, 'authentication_error');
  const path = new URL(request.url ?? '/', 'http://offline').pathname;
  const [, modelId] = /^\/v1\/models\/([^/]+)$/.exec(path) ?? [];
  const place = `${request.method} ${path}`;
  if (place === 'POST /v1/messages') await answerMessages(house, { request, response, requestId });
  else if (place === 'POST /v1/messages/count_tokens')
    sendJson(response, countTokens(await readJson(request)), requestId);
  else if (place === 'GET /v1/models') sendJson(response, modelList(house), requestId);
  else if (request.method === 'GET' && modelId !== undefined)
    sendJson(response, modelInfo(house, decodeURIComponent(modelId)), requestId);
  else throw new RequestRefused(`Not found: ${place}`, 404, 'not_found_error');
}

function countTokens(body: unknown): unknown {
  const prefixes = prefixesOf(readPrompt(body));
  return { input_tokens: tokensOf(prefixes.at(-1)?.characters ?? 0) };
}

function modelList({ ledger }: House): unknown {
  const ids = [...new Set([OFFLINE_MODEL_ID, ...ledger.scripted()])];
  return { data: ids.map(infoOf), has_more: false, first_id: ids.at(0), last_id: ids.at(-1) };
}

function modelInfo({ ledger }: House, modelId: string): unknown {
  if (isOfflineModel(modelId) || ledger.scripted().includes(modelId)) return infoOf(modelId);
  throw new RequestRefused(`model: ${modelId}`, 404, 'not_found_error');
}

function infoOf(id: string): unknown {
  const { contextTokens, maxOutputTokens } = factsOf(id);
  return {
    id,
    type: 'model',
    display_name: `${id} (offline)`,
    created_at: '1970-01-01T00:00:00Z',
    lifecycle: 'active',
    line: null,
    capabilities: null,
    deprecated_at: null,
    retires_at: null,
    max_input_tokens: contextTokens,
    max_tokens: maxOutputTokens,
  };
}
