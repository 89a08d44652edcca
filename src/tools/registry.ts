import * as z from 'zod';
import type { ToolDefinition } from '../contract/spec.ts';
import type { ToolCallResult, ToolErrorKind } from '../contract/tool-calls.ts';
import { digestOf } from './digest.ts';
import { oneLine } from './one-line.ts';
import { runTool, type Request } from './run-tool.ts';
import { ToolError, type Tool, type ToolContext } from './tool.ts';

const SUMMARY_CHARACTERS_MAX = 200;
const SHAPE_CHARACTERS_MAX = 2_000;

export interface Checked {
  /** One honest line of at most 200 characters. */
  readonly summary: string;
  readonly digest: string;
  /** Present when the call cannot run. */
  readonly problem?: { readonly kind: ToolErrorKind; readonly message: string };
}

/** The tools a worker has, by name. */
export interface Registry {
  /** Sorted. */
  readonly names: readonly string[];
  readonly get: (name: string) => Tool | undefined;
  /** As they are sent to the model, sorted by name. Throws `tool_not_registered` for a name that is not here. */
  readonly definitions: (names: readonly string[]) => ToolDefinition[];
  /** Looks at a call before anything is decided about it; never throws, whatever the input is. */
  readonly check: (name: string, input: unknown) => Checked;
  /** `sha256:…` over the canonical JSON of `{tool, input}`, the input as the model sent it. */
  readonly digestOf: (name: string, input: unknown) => string;
  /** Runs a call to its result, whatever happens; rejects only when `context.signal` cancels it. */
  readonly run: (name: string, input: unknown, context: ToolContext) => Promise<ToolCallResult>;
}

/** Throws when two tools share a name, and says where each comes from. */
export function createRegistry(tools: readonly Tool[]): Registry {
  const byName = indexed(tools);
  const names = [...byName.keys()].toSorted();
  const find = (name: string): Tool => {
    const tool = byName.get(name);
    if (tool !== undefined) return tool;
    throw new ToolError(
      'tool_not_registered',
      `Cannot run "${oneLine(name, 128)}": there is no such tool; there are ${names.join(', ')}`,
    );
  };
  return {
    names,
    get: (name) => byName.get(name),
    definitions: (wanted) => [...new Set(wanted)].toSorted().map((name) => definitionOf(find(name))),
    check: (name, input) => check({ name, input, find }),
    digestOf,
    run: async (name, input, context) => await runTool({ name, input, find }, context),
  };
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

function definitionOf({ name, description, input, effect, timeoutMs, local }: Tool): ToolDefinition {
  return { name, description, inputSchema: schemaOf(input), effect, timeoutMs, local };
}

function schemaOf(input: z.ZodType): Record<string, unknown> {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(input, { io: 'input' });
  return schema;
}

function check({ name, input, find }: Request): Checked {
  const fallback = oneLine(name, SUMMARY_CHARACTERS_MAX);
  try {
    const digest = digestOf(name, input);
    try {
      const tool = find(name);
      return { summary: oneLine(validated(tool, input).summary, SUMMARY_CHARACTERS_MAX), digest };
    } catch (error) {
      return { summary: fallback, digest, problem: problemOf(error) };
    }
  } catch (error) {
    // Such a call never runs, so all that matters is that its digest is that of no other call.
    return { summary: fallback, digest: digestOf(name, null), problem: problemOf(error) };
  }
}

function validated(tool: Tool, input: unknown): { readonly summary: string } {
  try {
    return { summary: tool.summarize(input) };
  } catch (error) {
    if (!(error instanceof ToolError) || error.kind !== 'invalid_params') throw error;
    const shape = JSON.stringify(schemaOf(tool.input)).slice(0, SHAPE_CHARACTERS_MAX);
    throw new ToolError('invalid_params', `${error.message}\nExpected input, as JSON schema: ${shape}`);
  }
}

function problemOf(error: unknown): { kind: ToolErrorKind; message: string } {
  if (error instanceof ToolError) return { kind: error.kind, message: error.message };
  return { kind: 'invalid_params', message: error instanceof Error ? error.message : 'Cannot read the input' };
}
