import { TOOL_SEARCH, USE_TOOL } from '../contract/control-tools.ts';
import { TOOLS_SENT_MAX, TOOLS_WARNED_AT } from '../contract/limits.ts';
import type { RunSpec, ToolDefinition } from '../contract/spec.ts';

/** What a run gets of the tools that were chosen for it. */
export type OfferedTools = Pick<RunSpec, 'tools' | 'instructions'>;

/** The two tools by which others are found and called; they are there only where something is to be found. */
const SEARCHING: readonly string[] = [TOOL_SEARCH, USE_TOOL];

/**
 * Puts the tools of a run in a stable order, gathers what is told with their first use, and above `TOOLS_SENT_MAX` keeps
 * those that are not built in out of the requests, to be found by search.
 */
export function offerTools(chosen: readonly ToolDefinition[], searching: readonly ToolDefinition[]): OfferedTools {
  const wanted = chosen.filter(({ name }) => !SEARCHING.includes(name));
  const isDeferring = wanted.length > TOOLS_SENT_MAX && wanted.some(isForeign);
  const found = wanted.map((tool) => (isDeferring && isForeign(tool) ? { ...tool, deferred: true } : tool));
  const all = isDeferring ? [...found, ...searching.map((tool) => withOverview(tool, found))] : found;
  const instructions = gatherInstructions(all);
  return {
    tools: all.map(withoutInstructions).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    ...(instructions.length > 0 && { instructions }),
  };
}

/** A line for people about a run with many tools; nothing where all is well. */
export function toolsNotice(tools: readonly ToolDefinition[]): readonly string[] {
  const deferred = tools.filter((tool) => tool.deferred === true).length;
  if (deferred > 0)
    return [
      `${tools.length} tools: the model finds ${deferred} of them by search, because sending all would cost tokens in every turn`,
    ];
  if (tools.length <= TOOLS_WARNED_AT) return [];
  return [`${tools.length} tools are sent with every request; models choose worse among more than ${TOOLS_WARNED_AT}`];
}

function isForeign({ origin }: ToolDefinition): boolean {
  return origin?.kind === 'mcp' || origin?.kind === 'command';
}

/** So that the model knows that there is something to look for; frozen with the run. */
function withOverview(tool: ToolDefinition, all: readonly ToolDefinition[]): ToolDefinition {
  if (tool.name !== TOOL_SEARCH) return tool;
  const counts = new Map<string, number>();
  for (const { origin, deferred } of all) {
    const from = origin?.kind === 'mcp' ? origin.server : origin?.kind === 'command' ? origin.source : undefined;
    if (deferred !== true || from === undefined) continue;
    counts.set(from, (counts.get(from) ?? 0) + 1);
  }
  const parts = [...counts].map(([from, count]) => `${from} (${count})`);
  return { ...tool, description: `${tool.description} There are tools of: ${parts.join(', ')}.` };
}

function gatherInstructions(tools: readonly ToolDefinition[]): NonNullable<RunSpec['instructions']> {
  const byText = new Map<string, string[]>();
  for (const { name, instructions } of tools) {
    if (instructions === undefined || instructions.trim() === '') continue;
    byText.set(instructions, [...(byText.get(instructions) ?? []), name]);
  }
  return [...byText].map(([text, names]) => ({ tools: names, text }));
}

function withoutInstructions({ instructions: _gathered, ...tool }: ToolDefinition): ToolDefinition {
  return tool;
}
