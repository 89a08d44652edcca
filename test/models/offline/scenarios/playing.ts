import type { Message, ToolUseBlock } from '../../../../src/contract/messages.ts';
import { startOfflineModel } from '../../../../src/models/offline/server.ts';
import { modelAt, quiet, requestTo, textIn, toolNamed, user } from '../calling.ts';

/** What a tool of a test returns; an error begins with its kind, such as `denied: `. */
export interface ToolAnswer {
  readonly text: string;
  readonly isError?: boolean;
}

export type Tools = Readonly<Record<string, (input: Readonly<Record<string, unknown>>) => ToolAnswer>>;

export interface Played {
  /** Calls of each turn, as `tool argument`. */
  readonly turns: readonly (readonly string[])[];
  readonly calls: readonly ToolUseBlock[];
  /** What was said in each turn. */
  readonly said: readonly string[];
  readonly messages: readonly Message[];
}

export interface Play {
  readonly system: string;
  readonly tools: Tools;
  readonly task?: string;
  /** Words of a person that come with the results of a turn. */
  readonly interjections?: Readonly<Record<number, string>>;
}

const TURNS_MAX = 20;

/** Plays a run to its end against the real server, by the rules of the runtime. Every turn passes the append-only check. */
export async function play({
  system,
  tools,
  task = 'Audit this repository.',
  interjections = {},
}: Play): Promise<Played> {
  const offline = await startOfflineModel();
  try {
    const model = modelAt(offline);
    const messages: Message[] = [user(task)];
    const turns: string[][] = [];
    const said: string[] = [];
    const calls: ToolUseBlock[] = [];
    for (;;) {
      const request = requestTo('offline', { system, tools: Object.keys(tools).map(toolNamed), messages });
      const reply = await model.call(request, quiet());
      const asked = reply.message.content.filter((block) => block.type === 'tool_use');
      messages.push(reply.message);
      said.push(textIn(reply));
      turns.push(asked.map(({ name, input }) => [name, argumentOf(input)].join(' ').trim()));
      calls.push(...asked);
      if (asked.length === 0 || turns.length >= TURNS_MAX) return { turns, said, calls, messages };
      messages.push(resultsOf(asked, { tools, words: interjections[turns.length] }));
    }
  } finally {
    await offline.close();
  }
}

function argumentOf(input: unknown): string {
  const { command, path, pattern } = input as Readonly<Record<string, unknown>>;
  return [command, path, pattern].find((value) => typeof value === 'string') ?? '';
}

function resultsOf(
  asked: readonly ToolUseBlock[],
  { tools, words }: { readonly tools: Tools; readonly words: string | undefined },
): Message {
  const results = asked.map(({ id, name, input }) => {
    const { text, isError } = tools[name]?.(input as Readonly<Record<string, unknown>>) ?? {
      text: `tool_not_registered: there is no tool "${name}"`,
      isError: true,
    };
    return {
      type: 'tool_result' as const,
      tool_use_id: id,
      content: text,
      ...(isError === true && { is_error: true }),
    };
  });
  return {
    role: 'user',
    content: [...results, ...(words === undefined ? [] : [{ type: 'text' as const, text: words }])],
  };
}
