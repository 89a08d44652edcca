import { textOf, type WireMessage, type WireRequest, type WireTool } from './request.ts';

export interface SeenResult {
  readonly tool: string;
  readonly input: unknown;
  readonly text: string;
  readonly isError: boolean;
  /** Turn of the call, from 0. */
  readonly turn: number;
}

/** What a scenario may look at: the request, read as a story. */
export interface Conversation {
  readonly model: string;
  readonly system: string;
  /** The first words of the user. */
  readonly task: string;
  /** How often the model has spoken before, so 0 for its first reply. */
  readonly turn: number;
  readonly tools: readonly WireTool[];
  /** True when tools may not be used: the closing words are wanted. */
  readonly summaryWanted: boolean;
  /** Of the newest message. */
  readonly lastResults: readonly SeenResult[];
  /** Of the whole conversation, in order. */
  readonly results: readonly SeenResult[];
  /** Words of the user in the newest message, besides results. */
  readonly lastWords: string;
  /** Words of the user after the task, oldest first. */
  readonly words: readonly string[];
}

export function readConversation({ model, system, tools, toolChoice, messages }: WireRequest): Conversation {
  const results: SeenResult[] = [];
  let turn = 0;
  messages.forEach((message, index) => {
    if (message.role === 'assistant') turn += 1;
    else results.push(...resultsOf(message, messages[index - 1], turn - 1));
  });
  const last = messages.at(-1);
  const lastCount = last?.role === 'user' ? last.content.filter(({ type }) => type === 'tool_result').length : 0;
  const words = messages
    .flatMap((message) => (message.role === 'user' ? [textOf(message.content)] : []))
    .filter((text) => text !== '');
  return {
    model,
    system,
    task: words[0] ?? '',
    turn,
    tools,
    summaryWanted: toolChoice === 'none',
    lastResults: lastCount === 0 ? [] : results.slice(-lastCount),
    results,
    lastWords: last?.role === 'user' ? textOf(last.content) : '',
    words: words.slice(1),
  };
}

function resultsOf(message: WireMessage, before: WireMessage | undefined, turn: number): readonly SeenResult[] {
  return message.content.flatMap((block) => {
    if (block.type !== 'tool_result') return [];
    const call = before?.content.find(({ type, id }) => type === 'tool_use' && id === block['tool_use_id']);
    const text = resultText(block['content']);
    return [{ tool: String(call?.['name']), input: call?.['input'], text, isError: block['is_error'] === true, turn }];
  });
}

function resultText(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? textOf(content) : '';
}
