import * as z from 'zod';
import type { ToolDefinition } from '../contract/spec.ts';
import type { ToolErrorKind, Touch } from '../contract/tool-calls.ts';
import { digestOf } from './digest.ts';
import { foretell } from './foretell.ts';
import { oneLine } from './one-line.ts';
import { probeTool, runTool, type Ran } from './run-tool.ts';
import { ToolError, type LookContext, type Probed, type Tool, type ToolContext } from './tool.ts';

const SUMMARY_CHARACTERS_MAX = 200;
const SHAPE_CHARACTERS_MAX = 2_000;

/** A call as the model sent it. */
export interface Call {
  readonly name: string;
  readonly input: unknown;
}

export interface Checked {
  /** One honest line of at most 200 characters. */
  readonly summary: string;
  readonly digest: string;
  readonly touches?: readonly Touch[];
  /** Why this machine cannot confine the call. */
  readonly unconfined?: string;
  /** Present when the call cannot run. */
  readonly problem?: { readonly kind: ToolErrorKind; readonly message: string };
}

/** What a call is checked against. */
export interface Scene {
  /** The tools of the run; a call of any other is refused. */
  readonly definitions: readonly ToolDefinition[];
  /** Left out where the workspace cannot be opened: then only the input is checked. */
  readonly look?: LookContext;
}

/** The tools a worker has, by name. */
export interface Registry {
  /** Sorted. */
  readonly names: readonly string[];
  readonly get: (name: string) => Tool | undefined;
  /** As they are sent to the model, sorted by name. Throws `tool_not_registered` for a name that is not here. */
  readonly definitions: (names: readonly string[]) => ToolDefinition[];
  /** Looks at a call before anything is decided about it; never rejects, whatever the input is. */
  readonly check: (call: Call, scene: Scene) => Promise<Checked>;
  /** What a call will do, in the tool's words, as a person who approves it should see it; undefined without any. */
  readonly foretell: (call: Call, scene: Scene) => Promise<string | undefined>;
  /** `sha256:…` over the canonical JSON of `{tool, input}`, the input as the model sent it. */
  readonly digestOf: (name: string, input: unknown) => string;
  /** Runs a call to its result, whatever happens; rejects only when `context.signal` cancels it. */
  readonly run: (call: Call, context: ToolContext) => Promise<Ran>;
  /** Asks a `checkable` tool whether a call happened whose worker was lost. */
  readonly probe: (call: Call, context: ToolContext) => Promise<Probed>;
}

/** Makes the tool of a definition that is not built in; undefined when this worker has no way to. */
export type MakeTool = (definition: ToolDefinition) => Tool | undefined;

/** Throws when two tools share a name, and says where each comes from. */
export function createRegistry(tools: readonly Tool[], make: MakeTool = () => undefined): Registry {
  const byName = indexed(tools);
  const names = [...byName.keys()].toSorted();
  const made = new WeakMap<ToolDefinition, Tool>();
  const makeOnce = (definition: ToolDefinition): Tool | undefined => {
    const tool = made.get(definition) ?? make(definition);
    if (tool !== undefined) made.set(definition, tool);
    return tool;
  };
  const find = (name: string, definitions: readonly ToolDefinition[]): Tool => {
    const definition = definitionsByName(definitions).get(name);
    const tool = definition?.origin === undefined ? definition && byName.get(name) : makeOnce(definition);
    if (tool !== undefined) return tool;
    throw notRegistered(name, definitions);
  };
  return {
    names,
    get: (name) => byName.get(name),
    definitions: (wanted) => [...new Set(wanted)].toSorted().map((name) => definitionOf(builtIn(byName, name))),
    check: async (call, scene) => await check(call, scene, find),
    foretell: async (call, { definitions, look }) =>
      look && (await foretell(find(call.name, definitions), call.input, look)),
    digestOf,
    run: async (call, context) => await runTool({ ...call, find: (name) => find(name, context.definitions) }, context),
    probe: async (call, context) => await probeTool(find(call.name, context.definitions), call.input, context),
  };
}

function builtIn(byName: ReadonlyMap<string, Tool>, name: string): Tool {
  const tool = byName.get(name);
  if (tool !== undefined) return tool;
  throw notRegistered(
    name,
    [...byName.keys()].map((known) => ({ name: known })),
  );
}

function notRegistered(name: string, known: readonly Pick<ToolDefinition, 'name'>[]): ToolError {
  const names = known.map((definition) => definition.name).toSorted();
  return new ToolError(
    'tool_not_registered',
    `Cannot run "${oneLine(name, 128)}": there is no such tool; there are ${oneLine(names.join(', '), NAMES_CHARACTERS_MAX)}`,
  );
}

/** A run may have hundreds of tools. */
const NAMES_CHARACTERS_MAX = 2_000;

/** The definitions of a run are one list for all its calls, and may be hundreds. */
const byDefinitionName = new WeakMap<readonly ToolDefinition[], ReadonlyMap<string, ToolDefinition>>();

function definitionsByName(definitions: readonly ToolDefinition[]): ReadonlyMap<string, ToolDefinition> {
  const known = byDefinitionName.get(definitions) ?? new Map(definitions.toReversed().map((one) => [one.name, one]));
  byDefinitionName.set(definitions, known);
  return known;
}

function indexed(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  const byName = new Map<string, Tool>();
  for (const tool of tools) {
    const other = byName.get(tool.name);
    if (other !== undefined) {
      throw new Error(
        `Cannot register "${tool.name}": both ${originOf(other)} and ${originOf(tool)} have a tool of this name`,
      );
    }
    byName.set(tool.name, tool);
  }
  return byName;
}

function originOf({ origin }: Tool): string {
  return origin ?? 'the built-in tools';
}

function definitionOf(tool: Tool): ToolDefinition {
  const { name, description, input, effect, timeoutMs, local, own, instructions } = tool;
  return {
    name,
    description,
    inputSchema: schemaOf(input),
    effect,
    timeoutMs,
    local,
    ...(own === true && { own }),
    ...(instructions !== undefined && { instructions }),
  };
}

function schemaOf(input: z.ZodType): Record<string, unknown> {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(input, { io: 'input' });
  return schema;
}

type Find = (name: string, definitions: readonly ToolDefinition[]) => Tool;

async function check({ name, input }: Call, { definitions, look }: Scene, find: Find): Promise<Checked> {
  const fallback = oneLine(name, SUMMARY_CHARACTERS_MAX);
  try {
    const digest = digestOf(name, input);
    try {
      const tool = find(name, definitions);
      const { summary } = validated(tool, { input, definitions });
      return {
        summary: oneLine(summary, SUMMARY_CHARACTERS_MAX),
        digest,
        ...(look && (await lookAt(tool, input, look))),
      };
    } catch (error) {
      return { summary: fallback, digest, problem: problemOf(error) };
    }
  } catch (error) {
    // Such a call never runs, so all that matters is that its digest is that of no other call.
    return { summary: fallback, digest: digestOf(name, null), problem: problemOf(error) };
  }
}

async function lookAt(tool: Tool, input: unknown, look: LookContext): Promise<Pick<Checked, 'touches' | 'unconfined'>> {
  const touches = await tool.touches?.(input, look);
  const unconfined = await tool.unconfined?.(look);
  return { ...(touches !== undefined && { touches }), ...(unconfined !== undefined && { unconfined }) };
}

interface Given {
  readonly input: unknown;
  readonly definitions: readonly ToolDefinition[];
}

function validated(tool: Tool, { input, definitions }: Given): { readonly summary: string } {
  try {
    return { summary: tool.summarize(input) };
  } catch (error) {
    if (!(error instanceof ToolError) || error.kind !== 'invalid_params') throw error;
    const schema = definitions.find(({ name }) => name === tool.name)?.inputSchema;
    const shape = JSON.stringify(schema).slice(0, SHAPE_CHARACTERS_MAX);
    throw new ToolError('invalid_params', `${error.message}\nExpected input, as JSON schema: ${shape}`);
  }
}

function problemOf(error: unknown): { kind: ToolErrorKind; message: string } {
  if (error instanceof ToolError) return { kind: error.kind, message: error.message };
  return { kind: 'invalid_params', message: error instanceof Error ? error.message : 'Cannot read the input' };
}
