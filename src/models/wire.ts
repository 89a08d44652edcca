import type Anthropic from '@anthropic-ai/sdk';
import type { AssistantBlock, Message, Usage, UserBlock } from '../contract/messages.ts';
import { factsOf } from './facts.ts';
import { ModelError, type ModelReply, type ModelRequest } from './model.ts';
import { priceUsd } from './prices.ts';

const KNOWN_BLOCKS: ReadonlySet<string> = new Set(['text', 'thinking', 'redacted_thinking', 'tool_use']);

/**
 * How old turns become a summary of the API's own ("compaction on demand"), as platform.claude.com describes it:
 *
 * - A request with `compaction` holds the messages to be summarised, ending in a finished turn, with the `system`, `tools`
 *   and thinking of the conversation. Its reply is one `compaction` block with stop reason `compaction`, and no words.
 *   Any other stop reason means that there is no summary, and the content is empty.
 * - From then on that reply is the first message of the conversation, as it came, in place of all that it summarises:
 *   `[{role: 'assistant', content: [{type: 'other', block: {type: 'compaction', …}}]}, …kept messages]`. Two messages
 *   of the assistant may stand one behind the other here. There is one such block at most, and no message before it.
 * - The thinking of kept messages stays valid while they follow unchanged, with nothing put between them and the block,
 *   while the first of them has another role than the last that was summarised, and `system` and `tools` stay as they
 *   were. What is to be said besides (plan, notes) therefore stands behind the kept messages, never before them.
 * - All of this is in beta, so such requests name it in a header, those that only carry a block included.
 */
const COMPACTION_BETA = 'compact-2026-09-04';

/** Half of a surrogate pair, as a cut in the middle of a character leaves it. The API refuses the whole request for one. */
const LONE_SURROGATE = /\p{Surrogate}/gu;

/** The body of a request. It is a function of the request alone, so the same transcript is always the same bytes. */
export function bodyOf(request: ModelRequest): Anthropic.MessageStreamParams {
  const { model, maxTokens, system, tools, messages, toolChoice } = request;
  return {
    model,
    max_tokens: maxTokens,
    cache_control: { type: 'ephemeral' },
    ...(system === '' ? {} : { system: wellFormed(system) }),
    ...(tools.length === 0 ? {} : { tools: tools.map(toolOf), tool_choice: { type: toolChoice } }),
    ...(factsOf(model).thinking === 'adaptive' ? { thinking: { type: 'adaptive', display: 'summarized' } } : {}),
    ...outputConfigOf(request),
    // The API may answer without a block but takes no message without one; such a turn says nothing and is not sent.
    messages: messages.filter(({ content }) => content.length > 0).map(messageOf),
  };
}

function outputConfigOf({ effort, format }: ModelRequest): { readonly output_config?: Anthropic.OutputConfig } {
  if (effort === undefined && format === undefined) return {};
  const shape = format === undefined ? {} : { format: { type: 'json_schema' as const, schema: format } };
  return { output_config: { ...(effort !== undefined && { effort }), ...shape } };
}

/** The body of a request that asks for a signed summary or carries one; null when it does neither. */
export function betaBodyOf(request: ModelRequest): Anthropic.Beta.MessageCreateParams | null {
  const { compaction, messages } = request;
  if (compaction === undefined && !messages.some(carriesSummary)) return null;
  const body = bodyOf(request) as unknown as Anthropic.Beta.MessageCreateParams;
  const { instructions } = compaction ?? {};
  const wish = { type: 'summarize' as const, ...(instructions !== undefined && { instructions }) };
  return { ...body, betas: [COMPACTION_BETA], ...(compaction !== undefined && { compaction: wish }) };
}

/** Wherever it stands: the API says best what is wrong with one in the wrong place. */
function carriesSummary({ content }: Message): boolean {
  return content.some((block) => block.type === 'other' && block.block['type'] === 'compaction');
}

function toolOf({ name, description, inputSchema, apiType }: ModelRequest['tools'][number]): Anthropic.ToolUnion {
  if (apiType !== undefined) return { type: apiType, name } as unknown as Anthropic.ToolUnion;
  return {
    name,
    description: wellFormed(description),
    input_schema: inputSchema as unknown as Anthropic.Tool.InputSchema,
  };
}

function messageOf(message: Message): Anthropic.MessageParam {
  return message.role === 'assistant'
    ? { role: 'assistant', content: message.content.map(echoOf) }
    : { role: 'user', content: message.content.map(userBlockOf) };
}

/** What the model said goes back as it came: thinking is signed over every byte of it. */
function echoOf(block: AssistantBlock): Anthropic.ContentBlockParam {
  return (block.type === 'other' ? block.block : block) as unknown as Anthropic.ContentBlockParam;
}

function userBlockOf(block: UserBlock): Anthropic.ContentBlockParam {
  if (block.type === 'text') return { type: 'text', text: wellFormed(block.text) };
  return {
    type: 'tool_result',
    tool_use_id: block.tool_use_id,
    ...(block.content === '' ? {} : { content: wellFormed(block.content) }),
    ...(block.is_error === undefined ? {} : { is_error: block.is_error }),
  };
}

function wellFormed(text: string): string {
  return text.replace(LONE_SURROGATE, '\uFFFD');
}

export type AnyMessage = Anthropic.Message | Anthropic.Beta.BetaMessage;
type AnyBlock = AnyMessage['content'][number];

/** What a finished stream is worth. Throws `ModelError` of kind `unavailable` when it is no message at all. */
export function replyOf(message: AnyMessage, request: ModelRequest, requestId: string | null): ModelReply {
  if (!Array.isArray(message.content) || typeof message.stop_reason !== 'string') {
    throw new ModelError(`Cannot call "${request.model}": the answer is not a message`, {
      kind: 'unavailable',
      cause: message,
    });
  }
  return {
    message: { role: 'assistant', content: message.content.filter((block) => !isEmptyText(block)).map(storedOf) },
    stopReason: message.stop_reason,
    usage: usageOf(message, request, 0),
    model: modelOf(message, request),
    requestId,
  };
}

/** What a message used, as far as the API has counted; the output is taken to be at least `outputMin` tokens. */
export function usageOf(message: AnyMessage, request: ModelRequest, outputMin: number): Usage {
  const counted = countsOf(message.usage);
  const counts = { ...counted, output: Math.max(counted.output, outputMin) };
  const costUsd = priceUsd(modelOf(message, request), counts, request.price) ?? priceUsd(request.model, counts);
  return { ...counts, costUsd };
}

function modelOf({ model }: AnyMessage, request: ModelRequest): string {
  return typeof model === 'string' && model !== '' ? model : request.model;
}

/** The API sometimes sends a text block without text, and refuses to take one back. */
function isEmptyText(block: AnyBlock): boolean {
  return block.type === 'text' && block.text === '';
}

/** A copy as plain data: the SDK's blocks carry getters and hidden properties. Fields we do not know are kept. */
function storedOf(block: AnyBlock): AssistantBlock {
  const plain = JSON.parse(JSON.stringify(block)) as Readonly<Record<string, unknown>> & { readonly type: string };
  return KNOWN_BLOCKS.has(plain.type) ? (plain as unknown as AssistantBlock) : { type: 'other', block: plain };
}

type Counts = Omit<Usage, 'costUsd'>;

interface WireCounts {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_input_tokens: number | null;
  readonly cache_creation_input_tokens: number | null;
}

/** What a summary took is told apart and is not in the sums beside it. */
function countsOf(usage: AnyMessage['usage']): Counts {
  const iterations = 'iterations' in usage && Array.isArray(usage.iterations) ? usage.iterations : [];
  return iterations
    .filter(({ type }) => type === 'compaction')
    .map(partOf)
    .reduce(sumOf, partOf(usage));
}

function partOf(usage: WireCounts): Counts {
  return {
    input: count(usage.input_tokens),
    output: count(usage.output_tokens),
    cacheRead: count(usage.cache_read_input_tokens),
    cacheWrite: count(usage.cache_creation_input_tokens),
  };
}

function sumOf(one: Counts, other: Counts): Counts {
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    cacheRead: one.cacheRead + other.cacheRead,
    cacheWrite: one.cacheWrite + other.cacheWrite,
  };
}

/** A gateway may leave a number out; a sum must never become NaN. */
function count(value: number | null | undefined): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}
