import type { Tool } from '@modelcontextprotocol/client';
import type { McpServer } from '../contract/mcp-server.ts';
import type { ToolDefinition } from '../contract/spec.ts';
import { canonicalJson } from '../tools/digest.ts';
import { oneLine } from '../tools/one-line.ts';
import { ToolError } from '../tools/tool.ts';
import { definitionOf } from './definitions.ts';
import { pinOf } from './pin.ts';

const SHOWN_CHARACTERS_MAX = 300;

export interface Pinned {
  readonly server: string;
  /** The server's own name of the tool. */
  readonly tool: string;
  readonly pin: string;
  readonly definition: ToolDefinition;
}

/**
 * Finds the tool that a run knows among those the server lists now. Throws `permission_denied`, and says what changed,
 * when it is another one: what a person or a policy agreed to was about the old one.
 */
export function pinnedTool({ server, tool: name, pin, definition }: Pinned, tools: readonly Tool[]): Tool {
  const refused = (why: string): ToolError =>
    new ToolError('permission_denied', `Cannot call "${name}": the server "${server}" ${why}`);
  const present = tools.find((candidate) => candidate.name === name);
  if (present === undefined) throw refused('no longer has it since the run began');
  if (digestOf(present) === pin) return present;
  throw refused(`changed it since the run began. ${changesOf(definition, present, server)}`);
}

function digestOf(tool: Tool): string | undefined {
  try {
    return pinOf(tool);
  } catch {
    return undefined;
  }
}

function changesOf(before: ToolDefinition, tool: Tool, name: string): string {
  const server: McpServer = { type: 'stdio', name, command: '', args: [], env: {} };
  const made = definitionOf(tool, { server, digest: '', instructions: undefined });
  if (made.kind === 'refused') return `What it lists now cannot be used: ${made.why}`;
  const after = made.definition;
  const changes = [
    ...changed('description', before.description, after.description),
    ...propertiesOf(before, after),
    ...changed('what it says it does to the world', before.effect, after.effect),
  ];
  return changes.length === 0 ? 'Only its annotations differ' : changes.join('; ');
}

function changed(what: string, before: string, after: string): string[] {
  if (before === after) return [];
  const shown = (text: string): string => `"${oneLine(text, SHOWN_CHARACTERS_MAX)}"`;
  return [`${what} was ${shown(before)}, is ${shown(after)}`];
}

function propertiesOf(before: ToolDefinition, after: ToolDefinition): string[] {
  if (canonicalJson(before.inputSchema) === canonicalJson(after.inputSchema)) return [];
  const [old, now] = [argumentsOf(before), argumentsOf(after)];
  const names = [...new Set([...old.keys(), ...now.keys()])].filter((key) => old.get(key) !== now.get(key));
  const changes = names.map((key) => `"${key}" ${!now.has(key) ? 'gone' : !old.has(key) ? 'new' : 'changed'}`);
  return [`arguments: ${oneLine(changes.length === 0 ? 'schema changed' : changes.join(', '), SHOWN_CHARACTERS_MAX)}`];
}

function argumentsOf({ inputSchema }: ToolDefinition): ReadonlyMap<string, string> {
  const properties = inputSchema['properties'] ?? {};
  return new Map(Object.entries(properties).map(([key, schema]) => [key, canonicalJson(schema)]));
}
