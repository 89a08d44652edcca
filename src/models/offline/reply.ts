import { createHash } from 'node:crypto';
import { signatureOf, type Prefix } from './binding.ts';
import { compactionBlock } from './compaction.ts';
import { tokensOf, type PromptCounts } from './prompt-cache.ts';
import type { WireBlock, WireRequest } from './request.ts';
import type { ScriptedCall, ScriptedReply } from './scenario.ts';

/** A block in the two forms it has: whole, and as a beginning with the pieces that complete it. */
export interface SpokenBlock {
  readonly whole: WireBlock;
  readonly start: WireBlock;
  readonly deltas: readonly WireBlock[];
}

/** One reply, ready to be sent whole or as a stream. */
export interface SpokenReply {
  readonly id: string;
  readonly model: string;
  readonly blocks: readonly SpokenBlock[];
  readonly stopReason: string;
  readonly stopDetails: Readonly<Record<string, unknown>> | null;
  readonly prompt: PromptCounts;
  readonly pauseMs: number;
  /** True when a summary was asked for: what it took is told apart from a reply, of which there is none. */
  readonly summarises: boolean;
}

export interface ReplyContext {
  readonly request: WireRequest;
  /** The prefix that holds the whole request; ids and signatures come from it, so they are the same on a repeat. */
  readonly prefix: Prefix;
  /** The prefix that holds `system` and `tools`. */
  readonly base: Prefix;
  readonly prompt: PromptCounts;
  readonly pauseMs: number;
}

/** Characters in one piece of a stream; a long text comes in larger ones, so that it is not all overhead. */
const PIECE_CHARACTERS = 24;
const PIECES_MAX = 400;

export function speak(scripted: ScriptedReply, context: ReplyContext): SpokenReply {
  const { request, prefix, prompt, pauseMs } = context;
  if (request.compaction !== null) return summarise(scripted, context);
  const calls = request.toolChoice === 'none' ? [] : (scripted.calls ?? []);
  return {
    id: idOf('msg', prefix, 0),
    model: request.model,
    blocks: [...wordsOf(scripted, context), ...calls.map((call, index) => spokenCall(call, { prefix, index }))],
    stopReason: scripted.stopReason ?? (calls.length > 0 ? 'tool_use' : 'end_turn'),
    stopDetails: null,
    prompt,
    pauseMs: scripted.pauseMs ?? pauseMs,
    summarises: false,
  };
}

/** The words become a signed block. Without words, with calls, or cut short, there is no block and the reason says why. */
function summarise({ text = '', calls = [], stopReason, pauseMs }: ScriptedReply, context: ReplyContext): SpokenReply {
  const { request, prefix, base, prompt } = context;
  const failed = stopReason ?? (calls.length > 0 ? 'tool_use' : text === '' ? 'end_turn' : null);
  const block = compactionBlock(text, request, { base: base.hash, prefix: prefix.hash });
  return {
    id: idOf('msg', prefix, 0),
    model: request.model,
    blocks: failed === null ? [readyBlock(block)] : [],
    stopReason: failed ?? 'compaction',
    stopDetails: null,
    prompt,
    pauseMs: pauseMs ?? context.pauseMs,
    summarises: true,
  };
}

function wordsOf(
  { thinking, blocks = [], text = '' }: ScriptedReply,
  { request, prefix }: ReplyContext,
): readonly SpokenBlock[] {
  const thoughts =
    thinking === undefined || !request.thinking ? [] : [thinkingBlock(thinking, signatureOf(prefix, [], thinking))];
  return [...thoughts, ...blocks.map(readyBlock), ...(text === '' ? [] : [textBlock(text)])];
}

function spokenCall(
  { name, input }: ScriptedCall,
  { prefix, index }: { readonly prefix: Prefix; readonly index: number },
): SpokenBlock {
  return callBlock(idOf('toolu', prefix, index), name, JSON.stringify(input ?? {}));
}

export function idOf(kind: string, prefix: Prefix, index: number): string {
  return `${kind}_${createHash('sha256').update(`${kind} ${prefix.hash} ${index}`).digest('hex').slice(0, 24)}`;
}

export function textBlock(text: string): SpokenBlock {
  const deltas = pieces(text).map((piece) => ({ type: 'text_delta', text: piece }));
  return { whole: { type: 'text', text, citations: null }, start: { type: 'text', text: '', citations: null }, deltas };
}

function thinkingBlock(thinking: string, signature: string): SpokenBlock {
  const deltas = pieces(thinking).map((piece) => ({ type: 'thinking_delta', thinking: piece }));
  return {
    whole: { type: 'thinking', thinking, signature },
    start: { type: 'thinking', thinking: '', signature: '' },
    deltas: [...deltas, { type: 'signature_delta', signature }],
  };
}

/** `json` may be cut short, as the API leaves it when it runs out of tokens. */
export function callBlock(id: string, name: string, json: string): SpokenBlock {
  const head = { type: 'tool_use', id, name, caller: { type: 'direct' } };
  const deltas = ['', ...pieces(json)].map((piece) => ({ type: 'input_json_delta', partial_json: piece }));
  return { whole: { ...head, input: parsed(json) }, start: { ...head, input: {} }, deltas };
}

export function readyBlock(block: WireBlock): SpokenBlock {
  return { whole: block, start: block, deltas: [] };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return {};
  }
}

function pieces(text: string): readonly string[] {
  const size = Math.max(PIECE_CHARACTERS, Math.ceil(text.length / PIECES_MAX));
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  );
}

/** The reply as one JSON message, in the form of the Messages API. */
export function messageOf(reply: SpokenReply): Readonly<Record<string, unknown>> {
  return {
    ...openingOf(reply),
    content: reply.blocks.map(({ whole }) => whole),
    stop_reason: reply.stopReason,
    stop_details: reply.stopDetails,
    usage: usageOf(reply, outputTokens(reply)),
  };
}

/** The message before a word of it is said, as `message_start` carries it. */
export function openingOf(reply: SpokenReply): Readonly<Record<string, unknown>> {
  return {
    id: reply.id,
    type: 'message',
    role: 'assistant',
    model: reply.model,
    container: null,
    diagnostics: null,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    usage: usageOf(reply, 1),
  };
}

/** What the whole reply is billed at. */
export function outputTokens({ blocks }: SpokenReply): number {
  return tokensOf(blocks.reduce((sum, { whole }) => sum + JSON.stringify(whole).length, 0));
}

/** The part of the usage that is known only at the end. */
export function closingUsageOf(reply: SpokenReply): Readonly<Record<string, unknown>> {
  const { output_tokens, iterations } = usageOf(reply, outputTokens(reply));
  return { output_tokens, ...(iterations !== undefined && { iterations }) };
}

function usageOf({ prompt, summarises }: SpokenReply, output: number): Readonly<Record<string, unknown>> {
  const counts = countsOf(summarises ? NOTHING : prompt, summarises ? 0 : output);
  const iterations = [{ type: 'compaction', ...countsOf(prompt, output) }];
  return { ...counts, server_tool_use: null, service_tier: 'standard', ...(summarises && { iterations }) };
}

const NOTHING: PromptCounts = { input: 0, cacheRead: 0, cacheWrite: 0 };

function countsOf(prompt: PromptCounts, output: number): Readonly<Record<string, unknown>> {
  return {
    input_tokens: prompt.input,
    cache_creation_input_tokens: prompt.cacheWrite,
    cache_read_input_tokens: prompt.cacheRead,
    cache_creation: { ephemeral_5m_input_tokens: prompt.cacheWrite, ephemeral_1h_input_tokens: 0 },
    output_tokens: output,
  };
}
