import { TOOL_SEARCH, USE_TOOL } from '../contract/control-tools.ts';
import { FOREIGN_TOOLS_BYTES_MAX, TOOLS_SENT_MAX, TOOLS_WARNED_AT } from '../contract/limits.ts';
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

export interface RoomForTools {
  readonly kept: readonly ToolDefinition[];
  /** A line for each server or command that is left out. */
  readonly notices: readonly string[];
}

/**
 * Leaves out the servers and commands with the most to say of their tools until the rest fits into a spec, so that one of
 * them never keeps a run, and the tools of the others, from starting.
 */
export function roomForTools(chosen: readonly ToolDefinition[]): RoomForTools {
  const bytes = bytesBySource(chosen);
  const largestFirst = [...bytes].toSorted(([, a], [, b]) => b - a);
  let total = largestFirst.reduce((sum, [, count]) => sum + count, 0);
  const left = new Set<string>();
  for (const [source, count] of largestFirst) {
    if (total <= FOREIGN_TOOLS_BYTES_MAX) break;
    left.add(source);
    total -= count;
  }
  return {
    kept: chosen.filter((tool) => !left.has(sourceOf(tool) ?? '')),
    notices: [...left].map(
      (source) =>
        `the tools of ${source} are left out: their definitions have ${bytes.get(source)} bytes, and a run has room for ${FOREIGN_TOOLS_BYTES_MAX} in all; name those you need in the agent's file`,
    ),
  };
}

function bytesBySource(tools: readonly ToolDefinition[]): ReadonlyMap<string, number> {
  const bytes = new Map<string, number>();
  for (const { instructions: _gathered, ...tool } of tools) {
    const source = sourceOf(tool);
    if (source !== undefined) bytes.set(source, (bytes.get(source) ?? 0) + Buffer.byteLength(JSON.stringify(tool)));
  }
  return bytes;
}

/** The server or the file that brought a tool; undefined for ours. */
function sourceOf({ origin }: Pick<ToolDefinition, 'origin'>): string | undefined {
  if (origin?.kind === 'mcp') return origin.server;
  return origin?.kind === 'command' ? origin.source : undefined;
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

function isForeign(tool: ToolDefinition): boolean {
  return sourceOf(tool) !== undefined;
}

/** So that the model knows that there is something to look for; frozen with the run. */
function withOverview(tool: ToolDefinition, all: readonly ToolDefinition[]): ToolDefinition {
  if (tool.name !== TOOL_SEARCH) return tool;
  const counts = new Map<string, number>();
  for (const other of all) {
    const from = sourceOf(other);
    if (other.deferred !== true || from === undefined) continue;
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
