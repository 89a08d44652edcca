import type { ToolCommands } from '../../../config/settings-files.ts';
import { toolName } from '../../../config/tool-names.ts';
import type { ToolDefinition } from '../../../contract/spec.ts';

/** A call as a person wrote it. */
export interface WrittenCall {
  readonly definition: ToolDefinition;
  readonly input: unknown;
  /** Names of what the tool needs and the person did not write; some value stands there. */
  readonly madeUp: readonly string[];
  /** False for a tool of a server or a command, which nobody asked for its definition. */
  readonly isKnown: boolean;
}

export type Read =
  | { readonly kind: 'call'; readonly call: WrittenCall }
  | { readonly kind: 'problem'; readonly problem: string };

export interface KnownTools {
  readonly definitions: readonly ToolDefinition[];
  /** Commands that bring tools of their own, whose names are not known before they are asked. */
  readonly commands: readonly ToolCommands[];
}

const WRITTEN = /^([\w-]+)\s*(?:\(([\s\S]*)\)|(\{[\s\S]*\}))?$/u;

/**
 * Reads a call as people write rules and calls: `bash(npm test)`, `Edit(src/a.ts)`, `WebFetch(https://example.com)`,
 * `mcp__docs__search` or `grep {"pattern": "x"}`.
 */
export function readWrittenCall(written: string, known: KnownTools): Read {
  const [, tool, argument, json] = WRITTEN.exec(written.trim()) ?? [];
  if (tool === undefined)
    return problem('expected a tool with what it is called with, such as bash(npm test) or grep {"pattern": "x"}');
  const found = findDefinition(tool, known);
  if (typeof found === 'string') return problem(found);
  const inner = json ?? argument?.trim() ?? '';
  const object = inner.startsWith('{') ? objectOf(inner) : undefined;
  if (object !== undefined) return { kind: 'call', call: { ...found, input: object, madeUp: [] } };
  if (json !== undefined) return problem('what stands behind the tool is not a JSON object');
  return withArgument(found, inner);
}

function problem(text: string): Read {
  return { kind: 'problem', problem: text };
}

type Found = Pick<WrittenCall, 'definition' | 'isKnown'>;

/** The tool that is meant, or why there is none. */
function findDefinition(written: string, { definitions, commands: [command] }: KnownTools): Found | string {
  const names = definitions.map(({ name }) => name);
  const named = toolName(written, names);
  const present = named.kind === 'name' ? definitions.find(({ name }) => name === named.name) : undefined;
  if (present !== undefined) return { definition: present, isKnown: true };
  const [, server, tool] = /^mcp__(.+?)__(.+)$/u.exec(written) ?? [];
  if (server !== undefined && tool !== undefined)
    return { definition: guessed(written, { kind: 'mcp', server, tool, config: '', pin: '' }), isKnown: false };
  if (named.kind === 'name') return `"${written}" names no tool; expected mcp__server__tool`;
  if (command === undefined || named.problem.includes('did you mean')) return named.problem;
  const { call, source } = command;
  return { definition: guessed(written, { kind: 'command', call, tool: written, source }), isKnown: false };
}

/** What policies look at of a tool that is not built in: its name, and that it comes from elsewhere. */
function guessed(name: string, origin: ToolDefinition['origin']): ToolDefinition {
  return { name, description: '', inputSchema: {}, effect: 'unsafe', timeoutMs: 1, local: false, origin };
}

function objectOf(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

interface Schema {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

function withArgument(found: Found, argument: string): Read {
  const { name, inputSchema } = found.definition;
  const { properties = {}, required = [] } = inputSchema as Schema;
  const main = mainProperty(properties, required);
  if (argument !== '' && main === undefined)
    return problem(`it cannot be told what "${name}" takes; write its input as JSON: ${name} {"…": "…"}`);
  const given =
    argument === '' || main === undefined ? {} : { [main]: main === 'url' ? addressOf(argument) : argument };
  const madeUp = required.filter((key) => !Object.hasOwn(given, key));
  // What the call is about is never made up: it is what rules are about.
  if (main !== undefined && madeUp.includes(main)) return problem(`it does not say the ${main} for "${name}"`);
  const filled = Object.fromEntries(madeUp.map((key) => [key, someValue(properties[key] ?? {})]));
  return { kind: 'call', call: { ...found, input: { ...filled, ...given }, madeUp } };
}

/** What a pattern of a rule is about. */
function mainProperty(properties: Readonly<Record<string, Schema>>, required: readonly string[]): string | undefined {
  const usual = ['url', 'path', 'command', 'query', 'expression'].find((name) => Object.hasOwn(properties, name));
  return usual ?? required.find((name) => properties[name]?.type === 'string');
}

function addressOf(written: string): string {
  const text = written.replace(/^domain:/u, '');
  return /^[a-z][a-z0-9+.-]*:\/\//iu.test(text) ? text : `https://${text}`;
}

function someValue({ type, enum: choices, minimum }: Schema): unknown {
  if (choices !== undefined) return choices[0];
  switch (type) {
    case 'integer':
    case 'number':
      return minimum ?? 1;
    case 'boolean':
      return false;
    case 'array':
      return [];
    case 'object':
      return {};
    default:
      return 'x';
  }
}
