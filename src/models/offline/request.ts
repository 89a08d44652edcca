import { readCompaction } from './compaction.ts';
import { readFormat } from './output-format.ts';
import { fieldsOf, RequestRefused, type Fields } from './refused.ts';

/** A content block as it is on the wire; kinds we do not know are as good as any. */
export type WireBlock = Readonly<Record<string, unknown>> & { readonly type: string };

export interface WireMessage {
  readonly role: 'user' | 'assistant';
  readonly content: readonly WireBlock[];
}

export interface WireTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** A request that passed the checks of its form; strings in place of content have become text blocks. */
export interface WireRequest {
  readonly model: string;
  readonly maxTokens: number;
  readonly system: string;
  readonly tools: readonly WireTool[];
  readonly messages: readonly WireMessage[];
  readonly toolChoice: 'auto' | 'none';
  readonly thinking: boolean;
  readonly cached: boolean;
  readonly stream: boolean;
  /** JSON schema that the reply must match, or null. */
  readonly format: Fields | null;
  /** Not null when a summary is wanted instead of a reply; without instructions of its own they are empty. */
  readonly compaction: { readonly instructions: string } | null;
  /** Names of what is in beta and was asked for by the header. */
  readonly betas: readonly string[];
}

/** Parameters that version 2026-10-21 of the API refuses. */
const REMOVED = ['temperature', 'top_p', 'top_k'];

/** Reads a body of `POST /v1/messages`, or throws `RequestRefused` as the API would answer. */
export function readRequest(body: unknown, betas: readonly string[]): WireRequest {
  const fields = fieldsOf(body, 'the request body');
  const removed = REMOVED.find((name) => name in fields);
  if (removed !== undefined) throw new RequestRefused(`${removed}: Extra inputs are not permitted`);
  const compaction = readCompaction(fields, betas);
  return {
    ...readPrompt(fields),
    maxTokens: readMaxTokens(fields['max_tokens']),
    toolChoice: readToolChoice(fields['tool_choice']),
    thinking: readThinking(fields['thinking']),
    cached: fields['cache_control'] !== undefined && fields['cache_control'] !== null,
    stream: fields['stream'] === true,
    format: readFormat(fields['output_config']),
    compaction,
    betas,
  };
}

type Prompt = Pick<WireRequest, 'model' | 'system' | 'tools' | 'messages'>;

/** The part that `count_tokens` takes too. */
export function readPrompt(body: unknown): Prompt {
  const fields = fieldsOf(body, 'the request body');
  const { model, system, tools, messages } = fields;
  if (typeof model !== 'string' || model === '') throw new RequestRefused('model: Field required');
  if (!Array.isArray(messages)) throw new RequestRefused('messages: Field required');
  if (messages.length === 0) throw new RequestRefused('messages: at least one message is required');
  return {
    model,
    system: system === undefined ? '' : textOf(blocksOf(system, 'system')),
    tools: tools === undefined ? [] : arrayOf(tools, 'tools').map(readTool),
    messages: messages.map(readMessage),
  };
}

function readTool(tool: unknown, index: number): WireTool {
  const { name, description, input_schema: schema } = fieldsOf(tool, `tools.${index}`);
  if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,128}$/.test(name)) {
    throw new RequestRefused(`tools.${index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
  }
  const inputSchema = fieldsOf(schema, `tools.${index}.custom.input_schema`);
  if (inputSchema['type'] !== 'object')
    throw new RequestRefused(`tools.${index}.custom.input_schema.type: Input should be 'object'`);
  return { name, description: typeof description === 'string' ? description : '', inputSchema };
}

function readMessage(message: unknown, index: number): WireMessage {
  const { role, content } = fieldsOf(message, `messages.${index}`);
  if (role !== 'user' && role !== 'assistant')
    throw new RequestRefused(`messages.${index}.role: Input should be 'user' or 'assistant'`);
  return { role, content: blocksOf(content, `messages.${index}.content`) };
}

function readMaxTokens(value: unknown): number {
  if (value === undefined) throw new RequestRefused('max_tokens: Field required');
  // The real API takes 0 to warm its cache; nothing here wants that, so it is a mistake of the caller.
  if (typeof value !== 'number' || !Number.isInteger(value) || value <= 0) {
    throw new RequestRefused('max_tokens: Input should be greater than 0');
  }
  return value;
}

function readToolChoice(value: unknown): 'auto' | 'none' {
  if (value === undefined) return 'auto';
  const { type } = fieldsOf(value, 'tool_choice');
  if (type === 'auto' || type === 'none') return type;
  throw new RequestRefused(`tool_choice: '${String(type)}' is not supported by this model; use 'auto' or 'none'`);
}

function readThinking(value: unknown): boolean {
  if (value === undefined) return false;
  const { type } = fieldsOf(value, 'thinking');
  if (type === 'adaptive') return true;
  throw new RequestRefused(`thinking.type: '${String(type)}' is not supported by this model; use 'adaptive'`);
}

function blocksOf(content: unknown, where: string): readonly WireBlock[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return arrayOf(content, where).map((block, index) => {
    const fields = fieldsOf(block, `${where}.${index}`);
    if (typeof fields['type'] !== 'string') throw new RequestRefused(`${where}.${index}.type: Field required`);
    return fields as WireBlock;
  });
}

function arrayOf(value: unknown, where: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new RequestRefused(`${where}: Input should be a valid list`);
  return value;
}

/** The texts among the blocks, one after the other. */
export function textOf(blocks: readonly WireBlock[]): string {
  return blocks
    .flatMap((block) => (block.type === 'text' && typeof block['text'] === 'string' ? [block['text']] : []))
    .join('\n\n');
}
