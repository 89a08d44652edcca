import * as z from 'zod';
import type { ToolDefinition } from '../contract/spec.ts';
import { clip } from '../tools/clip.ts';
import { ToolError, type Tool } from '../tools/tool.ts';
import { inputOf } from './input-schema.ts';
import type { McpPool } from './pool.ts';

const PREVIEW_CHARACTERS_MAX = 8_000;

/** Makes the tool that a definition of an MCP server stands for; undefined for any other definition. */
export function createMcpTool(definition: ToolDefinition, pool: McpPool): Tool | undefined {
  const { name, description, effect, timeoutMs, origin, instructions } = definition;
  if (origin?.kind !== 'mcp') return undefined;
  const input = inputOf(definition.inputSchema);
  const shown = (value: unknown): string => {
    check(name, input, value);
    return `${origin.server}: ${origin.tool} ${JSON.stringify(value)}`;
  };
  return {
    name,
    description,
    input,
    effect,
    timeoutMs,
    local: false,
    origin: `the MCP server "${origin.server}"`,
    ...(instructions !== undefined && { instructions }),
    summarize: shown,
    preview: (value) =>
      clip(
        `Tool "${origin.tool}" of the MCP server "${origin.server}" with:\n${JSON.stringify(value, null, 2)}`,
        PREVIEW_CHARACTERS_MAX,
      ),
    async run(value, context) {
      check(name, input, value);
      // The protocol's library takes a moment to load, and most workers never need it.
      const { runCall } = await import('./run-call.ts');
      return await runCall({ definition, origin, pool }, value as Record<string, unknown>, context);
    },
  };
}

/**
 * The input goes to the server as the model wrote it and a person saw it, so nothing is filled in here. Models write
 * null for what they leave out; what a server makes of that is its own affair.
 */
function check(name: string, schema: z.ZodType, input: unknown): void {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new ToolError('invalid_params', `Cannot run "${name}": its input is not an object`);
  }
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
  const parsed = schema.safeParse(given);
  if (!parsed.success) {
    throw new ToolError('invalid_params', `Cannot run "${name}": ${z.prettifyError(parsed.error)}`);
  }
}
