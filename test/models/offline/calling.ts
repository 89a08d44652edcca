import { createAnthropicModel } from '../../../src/models/anthropic.ts';
import type { Message } from '../../../src/contract/messages.ts';
import {
  ModelError,
  type CallOptions,
  type Model,
  type ModelReply,
  type ModelRequest,
  type ModelTool,
} from '../../../src/models/model.ts';
import type { OfflineModel } from '../../../src/models/offline/server.ts';

/** The real transport to a real server; only the model behind it is played. */
export function modelAt(
  offline: OfflineModel,
  times: { readonly idleMs?: number; readonly connectMs?: number } = {},
): Model {
  return createAnthropicModel({ apiKey: 'sk-test', baseURL: offline.url, ...times });
}

export function toolNamed(name: string): ModelTool {
  return { name, description: `The tool ${name}.`, inputSchema: { type: 'object', properties: {} } };
}

export function user(text: string): Message {
  return { role: 'user', content: [{ type: 'text', text }] };
}

export function result(callId: string, content: string, isError?: boolean): Message {
  const mark = isError === undefined ? {} : { is_error: isError };
  return { role: 'user', content: [{ type: 'tool_result', tool_use_id: callId, content, ...mark }] };
}

export function requestTo(model: string, changes: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model,
    maxTokens: 4_000,
    system: 'You are a test.',
    tools: [toolNamed('bash'), toolNamed('read_file')],
    messages: [user('Do it.')],
    toolChoice: 'auto',
    ...changes,
  };
}

export function quiet(changes: Partial<CallOptions> = {}): CallOptions {
  return { signal: new AbortController().signal, onLive: () => undefined, ...changes };
}

export function textIn({ message }: ModelReply): string {
  return message.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
}

/** A reply with a part of every kind. */
export const speech = {
  thinking: 'I should look.',
  text: 'Looking at it now, in several small pieces.',
  calls: [{ name: 'bash', input: { command: 'ls', deep: { n: 1 } } }],
};

/** The error of a call that must fail; a call that does not is a failure of the test. */
export async function failureOf(call: Promise<unknown>): Promise<ModelError> {
  const error = await call.then(
    () => new Error('the call succeeded'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof ModelError) return error;
  throw error;
}
