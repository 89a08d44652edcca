import { format } from 'node:util';
import Anthropic from '@anthropic-ai/sdk';
import { classifyFailure } from './errors.ts';
import { collectLiveText } from './live-text.ts';
import { ModelError, type CallOptions, type Model, type ModelReply, type ModelRequest } from './model.ts';
import { watchSilence } from './silence.ts';
import { meterUsage, type Meter } from './usage-so-far.ts';
import { betaBodyOf, bodyOf, replyOf, type AnyMessage } from './wire.ts';

export interface AnthropicOptions {
  readonly apiKey: string;
  /** Where the Messages API is; the real one when left out. */
  readonly baseURL?: string;
  /** Milliseconds a stream may be silent; the API sends a ping every few seconds. */
  readonly idleMs?: number;
  /** Milliseconds until the headers of an answer must be there. */
  readonly connectMs?: number;
}

const BASE_URL = 'https://api.anthropic.com';
const IDLE_MS = 60_000;
const CONNECT_MS = 120_000;

/** Standard output belongs to commands and their results; what the SDK has to say goes beside it. */
const toStderr = (...words: readonly unknown[]): void => void process.stderr.write(`${format(...words)}\n`);

/**
 * The Messages API through the SDK as it is. One call is one request: the workflow engine owns retries, and the
 * SDK's own would be billed without being seen.
 */
export function createAnthropicModel(options: AnthropicOptions): Model {
  const client = clientOf(options);
  const idleMs = options.idleMs ?? IDLE_MS;
  return {
    call: (request, callOptions) => call({ client, idleMs }, request, callOptions),
    check: (modelId, signal) => check({ client, idleMs }, modelId, signal),
  };
}

/** Key and address are always given, so that no profile, token or variable lying around can take their place. */
function clientOf({ apiKey, baseURL = BASE_URL, connectMs = CONNECT_MS }: AnthropicOptions): Anthropic {
  if (apiKey === '') throw new Error('Cannot reach the model API: the API key is empty');
  return new Anthropic({
    apiKey,
    baseURL,
    timeout: connectMs,
    maxRetries: 0,
    openTelemetry: false,
    logLevel: 'warn',
    logger: { error: toStderr, warn: toStderr, info: toStderr, debug: toStderr },
  });
}

interface Line {
  readonly client: Anthropic;
  readonly idleMs: number;
}

async function call(
  { client, idleMs }: Line,
  request: ModelRequest,
  { signal, onLive, onUsage }: CallOptions,
): Promise<ModelReply> {
  const silence = watchSilence(idleMs);
  const meter = meterUsage(request, onUsage);
  try {
    const stream = streamOf(client, request, {
      signal: AbortSignal.any([signal, silence.signal]),
      middleware: [async (sent, next) => silence.listen(await next(sent))],
    });
    const live = collectLiveText(onLive);
    stream.on('streamEvent', meter.see);
    stream.on('text', (piece) => live('text', piece));
    stream.on('thinking', (piece) => live('thinking', piece));
    const message = await stream.finalMessage();
    return replyOf(message, request, stream.request_id ?? null);
  } catch (error) {
    const silentMs = silence.signal.aborted ? idleMs : null;
    const usage = meter.used();
    throw classifyFailure(error, { model: request.model, cancelled: signal.aborted, silentMs, usage });
  } finally {
    silence.close();
  }
}

type ReplyStream = Pick<
  ReturnType<Anthropic['messages']['stream'] | Anthropic['beta']['messages']['stream']>,
  'request_id'
> & {
  on(event: 'text' | 'thinking', listener: (piece: string) => void): unknown;
  on(event: 'streamEvent', listener: Meter['see']): unknown;
  readonly finalMessage: () => Promise<AnyMessage>;
};

/** Only what needs it goes the way of the beta, so that nothing else can break when that way changes. */
function streamOf(client: Anthropic, request: ModelRequest, options: Anthropic.RequestOptions): ReplyStream {
  const beta = betaBodyOf(request);
  return beta === null ? client.messages.stream(bodyOf(request), options) : client.beta.messages.stream(beta, options);
}

async function check({ client, idleMs }: Line, model: string, signal: AbortSignal): Promise<void> {
  const silence = watchSilence(idleMs);
  try {
    const info: unknown = await client.models.retrieve(model, undefined, {
      signal: AbortSignal.any([signal, silence.signal]),
      middleware: [async (sent, next) => silence.listen(await next(sent))],
    });
    if (typeof info === 'object' && info !== null && 'id' in info) return;
    throw new ModelError(`Cannot check "${model}": the answer is not a model`, { kind: 'unavailable', cause: info });
  } catch (error) {
    throw classifyFailure(error, {
      model,
      cancelled: signal.aborted,
      silentMs: silence.signal.aborted ? idleMs : null,
    });
  } finally {
    silence.close();
  }
}
