import * as z from 'zod';
import { TOOL_SEARCH, USE_TOOL } from '../contract/control-tools.ts';
import { TOOL_OUTPUT_CHARACTERS_MAX } from '../contract/limits.ts';
import type { ToolDefinition } from '../contract/spec.ts';
import { clip } from './clip.ts';
import { oneLine } from './one-line.ts';
import { defineTool } from './tool.ts';

const FOUND_MAX = 8;

/** A name says more about a tool than a word somewhere in its description. */
const NAME_WEIGHT = 5;
const DESCRIPTION_WEIGHT = 1;

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
    const found = rank(hidden, query).slice(0, max);
    if (found.length === 0)
      return await Promise.resolve({ text: `[None of ${hidden.length} tools fits; try other words.]` });
    const more = `[${found.length} of ${hidden.length} tools. Call one with ${USE_TOOL}: {"tool": name, "input": {…}}.]`;
    return { text: clip([...found.map(definitionText), more].join('\n\n'), TOOL_OUTPUT_CHARACTERS_MAX) };
  },
});

function rank(definitions: readonly ToolDefinition[], query: string): readonly ToolDefinition[] {
  const words = wordsOf(query);
  const scored = definitions.map((definition) => ({ definition, score: scoreOf(definition, { query, words }) }));
  return scored
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || (a.definition.name < b.definition.name ? -1 : 1))
    .map(({ definition }) => definition);
}

interface Wanted {
  readonly query: string;
  readonly words: readonly string[];
}

function scoreOf({ name, description }: ToolDefinition, { query, words }: Wanted): number {
  if (name === query.trim()) return Number.MAX_SAFE_INTEGER;
  const inName = new Set(wordsOf(name));
  const inDescription = new Set(wordsOf(description));
  const named = name.includes(query.trim()) ? NAME_WEIGHT : 0;
  return words.reduce(
    (sum, word) =>
      sum + (matches(inName, word) ? NAME_WEIGHT : 0) + (matches(inDescription, word) ? DESCRIPTION_WEIGHT : 0),
    named,
  );
}

/** `issues` finds `issue` and the other way round. */
function matches(words: ReadonlySet<string>, wanted: string): boolean {
  return words.has(wanted) || words.has(`${wanted}s`) || (wanted.endsWith('s') && words.has(wanted.slice(0, -1)));
}

function wordsOf(text: string): readonly string[] {
  const parts = text
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
  return parts.filter((part) => part.length > 1);
}

function definitionText({ name, description, inputSchema }: ToolDefinition): string {
  return `${name}\n${description}\nInput, as JSON schema: ${JSON.stringify(inputSchema)}`;
}
