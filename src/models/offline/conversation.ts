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
  /** True when tools may not be used: words alone are wanted, such as the closing ones or a summary of all before. */
  readonly summaryWanted: boolean;
  /** JSON schema that the reply must match; null when it is free. */
  readonly format: Readonly<Record<string, unknown>> | null;
  /** Not null when a summary of the conversation is wanted, which becomes a signed block. */
  readonly compaction: { readonly instructions: string } | null;
  /** What a question beside the conversation is for, such as `critique`, as its system prompt says; null in the conversation itself. */
  readonly aside: string | null;
  /** The text of the signed summary that the conversation begins with; empty without one. */
  readonly summary: string;
  /** Of the newest message. */
  readonly lastResults: readonly SeenResult[];
  /** Of the whole conversation, in order. */
  readonly results: readonly SeenResult[];
  /** Words of the user in the newest message, besides results. */
  readonly lastWords: string;
  /** Words of the user after the task, oldest first. */
  readonly words: readonly string[];
}

export function readConversation(request: WireRequest): Conversation {
  const { model, system, tools, toolChoice, messages, format, compaction } = request;
  const { results, turn } = readTurns(messages);
  const words = messages
    .flatMap((message) => (message.role === 'user' ? [textOf(message.content)] : []))
    .filter((text) => text !== '');
  return {
    model,
    system,
    task: words[0] ?? '',
    turn,
    tools,
    summaryWanted: toolChoice === 'none' || compaction !== null,
    format,
    compaction,
    aside: /^Aside: (\w+)/.exec(system)?.[1] ?? null,
    summary: summaryIn(messages),
    results,
    words: words.slice(1),
    ...newestOf(messages, results),
  };
}

/** A summary is no turn: it takes the place of some. */
function readTurns(messages: readonly WireMessage[]): Pick<Conversation, 'results' | 'turn'> {
  const results: SeenResult[] = [];
  let turn = 0;
  messages.forEach((message, index) => {
    if (message.role === 'user') results.push(...resultsOf(message, messages[index - 1], turn - 1));
    else if (message.content.some(({ type }) => type !== 'compaction')) turn += 1;
  });
  return { results, turn };
}

function summaryIn([first]: readonly WireMessage[]): string {
  const block = first?.content[0];
  return block?.type === 'compaction' && typeof block['content'] === 'string' ? block['content'] : '';
}

function newestOf(
  messages: readonly WireMessage[],
  results: readonly SeenResult[],
): Pick<Conversation, 'lastResults' | 'lastWords'> {
  const last = messages.at(-1);
  if (last?.role !== 'user') return { lastResults: [], lastWords: '' };
  const count = last.content.filter(({ type }) => type === 'tool_result').length;
  return { lastResults: count === 0 ? [] : results.slice(-count), lastWords: textOf(last.content) };
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
