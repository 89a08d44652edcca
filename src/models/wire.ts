import type Anthropic from '@anthropic-ai/sdk';
import type { AssistantBlock, Message, UserBlock } from '../contract/messages.ts';
import { factsOf } from './facts.ts';
import { ModelError, type ModelReply, type ModelRequest } from './model.ts';
import { priceUsd } from './prices.ts';

const KNOWN_BLOCKS: ReadonlySet<string> = new Set(['text', 'thinking', 'redacted_thinking', 'tool_use']);

/** Half of a surrogate pair, as a cut in the middle of a character leaves it. The API refuses the whole request for one. */
const LONE_SURROGATE = /\p{Surrogate}/gu;

/** The body of a request. It is a function of the request alone, so the same transcript is always the same bytes. */
export function bodyOf(request: ModelRequest): Anthropic.MessageStreamParams {
  const { model, maxTokens, system, tools, messages, toolChoice, effort } = request;
  return {
    model,
    max_tokens: maxTokens,
    cache_control: { type: 'ephemeral' },
    ...(system === '' ? {} : { system: wellFormed(system) }),
    ...(tools.length === 0 ? {} : { tools: tools.map(toolOf), tool_choice: { type: toolChoice } }),
    ...(factsOf(model).thinking === 'adaptive' ? { thinking: { type: 'adaptive', display: 'summarized' } } : {}),
    ...(effort === undefined ? {} : { output_config: { effort } }),
    // The API may answer without a block but takes no message without one; such a turn says nothing and is not sent.
    messages: messages.filter(({ content }) => content.length > 0).map(messageOf),
  };
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

/** What a finished stream is worth. Throws `ModelError` of kind `unavailable` when it is no message at all. */
export function replyOf(message: Anthropic.Message, request: ModelRequest, requestId: string | null): ModelReply {
  if (!Array.isArray(message.content) || typeof message.stop_reason !== 'string') {
    throw new ModelError(`Cannot call "${request.model}": the answer is not a message`, {
      kind: 'unavailable',
      cause: message,
    });
  }
  const model = typeof message.model === 'string' && message.model !== '' ? message.model : request.model;
  const counts = countsOf(message.usage);
  return {
    message: { role: 'assistant', content: message.content.filter((block) => !isEmptyText(block)).map(storedOf) },
    stopReason: message.stop_reason,
    usage: { ...counts, costUsd: priceUsd(model, counts) ?? priceUsd(request.model, counts) },
    model,
    requestId,
  };
}

/** The API sometimes sends a text block without text, and refuses to take one back. */
function isEmptyText(block: Anthropic.ContentBlock): boolean {
  return block.type === 'text' && block.text === '';
}

/** A copy as plain data: the SDK's blocks carry getters and hidden properties. Fields we do not know are kept. */
function storedOf(block: Anthropic.ContentBlock): AssistantBlock {
  const plain = JSON.parse(JSON.stringify(block)) as Readonly<Record<string, unknown>> & { readonly type: string };
  return KNOWN_BLOCKS.has(plain.type) ? (plain as unknown as AssistantBlock) : { type: 'other', block: plain };
}

function countsOf(usage: Anthropic.Usage): Omit<ModelReply['usage'], 'costUsd'> {
  return {
    input: count(usage.input_tokens),
    output: count(usage.output_tokens),
    cacheRead: count(usage.cache_read_input_tokens),
    cacheWrite: count(usage.cache_creation_input_tokens),
  };
}

/** A gateway may leave a number out; a sum must never become NaN. */
function count(value: number | null | undefined): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}
