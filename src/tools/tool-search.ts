import * as z from 'zod';
import { TOOL_SEARCH, USE_TOOL } from '../contract/control-tools.ts';
import { TOOL_OUTPUT_CHARACTERS_MAX } from '../contract/limits.ts';
import type { ToolDefinition } from '../contract/spec.ts';
import { oneLine } from './one-line.ts';
import { defineTool } from './tool.ts';

const FOUND_MAX = 8;

/** A name says more about a tool than a word somewhere in its description. */
const NAME_WEIGHT = 5;
const DESCRIPTION_WEIGHT = 1;

/** Room for the note below the definitions. */
const NOTE_CHARACTERS = 200;

/**
 * Finds tools whose definitions the model was not given, and gives them as text. So a run may have hundreds of tools,
 * pays only for those it looks for, and its list of tools never changes, which thinking is signed over.
 */
export const toolSearchTool = defineTool({
  name: TOOL_SEARCH,
  description:
    `Finds more tools by words for what you want to do, and gives their definitions; call them with ${USE_TOOL}. ` +
    'A name, or the part of it that several tools share, finds exactly those.',
  input: z.strictObject({
    query: z.string().min(1).max(1_000).describe('Words for what the tool should do, or its name.'),
    max: z.int().min(1).max(20).default(FOUND_MAX).describe('How many definitions to give at most.'),
  }),
  effect: 'read',
  timeoutMs: 5_000,
  local: true,
  summarize: ({ query }) => `Look for tools: ${oneLine(query, 170)}`,
  touches: () => [],
  async run({ query, max }, { definitions }) {
    const hidden = definitions.filter(({ deferred }) => deferred === true);
    const found = find(hidden, query);
    if (found.length === 0)
      return await Promise.resolve({ text: `[None of ${hidden.length} tools fits; try other words.]` });
    const shown = fitting(found.slice(0, max).map(definitionText));
    const count = `${shown.length} of ${found.length} that fit, of ${hidden.length} tools`;
    return { text: [...shown, `[${count}. Call one with ${USE_TOOL}: {"tool": name, "input": {…}}.]`].join('\n\n') };
  },
});

/** Half a definition is of no use, so they are given whole, as many as there is room for. */
function fitting(texts: readonly string[]): readonly string[] {
  let room = TOOL_OUTPUT_CHARACTERS_MAX - NOTE_CHARACTERS;
  return texts.filter(({ length }) => (room -= length + 2) >= 0);
}

function find(definitions: readonly ToolDefinition[], query: string): readonly ToolDefinition[] {
  const wanted = query.trim().toLowerCase();
  const same = definitions.find(({ name }) => name.toLowerCase() === wanted);
  if (same !== undefined) return [same];
  // A single word may stand in a name by chance; what joins words is a part of names.
  const named = /[_-]/.test(wanted) ? definitions.filter(({ name }) => name.toLowerCase().includes(wanted)) : [];
  return named.length > 0 ? named : rank(definitions, wordsOf(query));
}

function rank(definitions: readonly ToolDefinition[], words: readonly string[]): readonly ToolDefinition[] {
  const read = definitions.map((definition) => ({
    definition,
    inName: new Set(wordsOf(definition.name)),
    inDescription: new Set(wordsOf(definition.description)),
  }));
  const score = new Map<string, number>();
  for (const word of new Set(words)) {
    const hits = read.flatMap(({ definition: { name }, inName, inDescription }) => {
      const hit = (inName.has(word) ? NAME_WEIGHT : 0) + (inDescription.has(word) ? DESCRIPTION_WEIGHT : 0);
      return hit === 0 ? [] : [{ name, hit }];
    });
    // What most tools say, such as "the" or the "mcp" of their names, tells nothing of them.
    const telling = Math.log((1 + definitions.length) / (1 + hits.length));
    for (const { name, hit } of hits) score.set(name, (score.get(name) ?? 0) + hit * telling);
  }
  const scoreOf = ({ name }: ToolDefinition): number => score.get(name) ?? 0;
  return definitions
    .filter(({ name }) => score.has(name))
    .toSorted((a, b) => scoreOf(b) - scoreOf(a) || (a.name < b.name ? -1 : 1));
}

function wordsOf(text: string): readonly string[] {
  const parts = text
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
  return parts.filter((part) => part.length > 1).map(singular);
}

/** `issues` finds `issue` and the other way round. */
function singular(word: string): string {
  return word.replace(/ies$/, 'y').replace(/s$/, '');
}

function definitionText({ name, description, inputSchema }: ToolDefinition): string {
  return `${name}\n${description}\nInput, as JSON schema: ${JSON.stringify(inputSchema)}`;
}
