import type { IncomingMessage, ServerResponse } from 'node:http';
import { factsOf, isOfflineModel } from '../facts.ts';
import { openBill } from './bill.ts';
import { checkBinding, prefixesOf, type Prefix } from './binding.ts';
import { readConversation } from './conversation.ts';
import { spoil } from './faulty-reply.ts';
import type { Fault } from './faults.ts';
import { readJson, sendError, sendJson, sendPage, type Visit } from './http.ts';
import type { Ledger, ModelLedger } from './ledger.ts';
import { playStream, untilGone, type Part, type Stage } from './playback.ts';
import { tokensOf, type PromptCache } from './prompt-cache.ts';
import { messageOf, speak, type SpokenReply } from './reply.ts';
import { RequestRefused } from './refused.ts';
import { readRequest, type WireRequest } from './request.ts';
import { checkMessages } from './rules.ts';
import type { ScriptedReply } from './scenario.ts';
import { fittingScenario } from './scenarios/fitting.ts';

/** What all requests share. */
export interface House {
  readonly ledger: Ledger;
  readonly cache: PromptCache;
  readonly pauseMs: number;
  readonly closing: AbortSignal;
}

/** Answers `POST /v1/messages`. Throws `RequestRefused` where the real API would refuse. */
export async function answerMessages(house: House, { request, response, requestId }: Visit): Promise<void> {
  const body = (await readJson(request)) as Readonly<Record<string, unknown>>;
  const modelId = typeof body?.['model'] === 'string' ? body['model'] : '';
  house.ledger.record(modelId, { body, headers: headersOf(request) });
  const model = house.ledger.of(modelId);
  const stage: Stage = { response, requestId, gone: goneSignal(response, house.closing) };
  const end = await perform(
    { house, model, body, betas: betasOf(request), fault: model.faults.shift() ?? null },
    stage,
  ).catch((error: unknown) => {
    model.counts.refused += 1;
    throw error;
  });
  model.counts[end] += 1;
}

interface Performance {
  readonly house: House;
  readonly model: ModelLedger;
  readonly body: unknown;
  readonly betas: readonly string[];
  readonly fault: Fault | null;
}

type End = 'completed' | 'refused' | 'abandoned';

async function perform({ house, model, body, betas, fault }: Performance, stage: Stage): Promise<End> {
  const early = fault === null ? null : await failEarly(fault, stage);
  if (early !== null) return early;
  const reply = compose(house, model, readRequest(body, betas));
  const spoken = fault === null ? reply.spoken : spoil(reply.spoken, fault, reply.prefix);
  const part: Part = { reply: spoken, bill: openBill(model, spoken) };
  if (reply.request.stream) return (await playStream(part, fault, stage)) ? 'completed' : 'abandoned';
  return sendWhole(part, fault, stage);
}

/** Faults that come before the API has looked at the request. */
async function failEarly(fault: Fault, { response, requestId, gone }: Stage): Promise<End | null> {
  if (fault.kind === 'http') sendError(response, fault, requestId);
  else if (fault.kind === 'html') sendPage(response, fault.status);
  else if (fault.kind === 'stall' && fault.afterEvents === null) {
    await untilGone(gone);
    response.destroy();
    return 'abandoned';
  } else return null;
  return 'refused';
}

function sendWhole({ reply, bill }: Part, fault: Fault | null, { response, requestId }: Stage): End {
  if (fault !== null && 'afterEvents' in fault) {
    response.destroy();
    return 'abandoned';
  }
  bill.whole();
  sendJson(response, messageOf(reply), requestId);
  return 'completed';
}

interface Composed {
  readonly request: WireRequest;
  readonly spoken: SpokenReply;
  readonly prefix: Prefix;
}

function compose(house: House, model: ModelLedger, request: WireRequest): Composed {
  if (!isOfflineModel(request.model) && model.scenario === null)
    throw new RequestRefused(`model: ${request.model}`, 404, 'not_found_error');
  if (request.compaction !== null && !factsOf(request.model).compaction)
    throw new RequestRefused('compaction: is not supported by this model');
  checkMessages(request);
  const prefixes = prefixesOf(request);
  checkBinding(request, prefixes);
  const [base, prefix] = [prefixes[0] as Prefix, prefixes.at(-1) as Prefix];
  checkWindow(request, prefix);
  const scripted = play(model, request);
  const prompt = house.cache.count(request.model, prefixes, request.cached);
  return { request, prefix, spoken: speak(scripted, { request, base, prefix, prompt, pauseMs: house.pauseMs }) };
}

function checkWindow({ model }: WireRequest, prefix: Prefix): void {
  const { contextTokens } = factsOf(model);
  const tokens = tokensOf(prefix.characters);
  if (tokens > contextTokens)
    throw new RequestRefused(`prompt is too long: ${tokens} tokens > ${contextTokens} maximum`);
}

/** A script with a mistake in it will not mend itself, so it is a refusal and not a passing fault. */
function play({ scenario }: ModelLedger, request: WireRequest): ScriptedReply {
  const seen = readConversation(request);
  try {
    return (scenario ?? fittingScenario)(seen);
  } catch (error) {
    throw new RequestRefused(
      `the scenario failed at turn ${seen.turn}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function goneSignal(response: ServerResponse, closing: AbortSignal): AbortSignal {
  const left = new AbortController();
  response.once('close', () => left.abort());
  return AbortSignal.any([left.signal, closing]);
}

function betasOf({ headers }: IncomingMessage): readonly string[] {
  return [headers['anthropic-beta'] ?? []].flat().flatMap((names) => names.split(',').map((name) => name.trim()));
}

function headersOf({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  const kept = Object.entries(headers).filter(([name]) => name !== 'authorization' && name !== 'x-api-key');
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}
