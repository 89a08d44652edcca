import * as z from 'zod';
import { toolDefinitionSchema, type ToolDefinition } from '../../contract/spec.ts';
import { canonicalJson } from '../digest.ts';
import { DEFINITION_BYTES_MAX, sendableSchema } from '../foreign-schema.ts';
import { oneLine } from '../one-line.ts';
import { ToolError } from '../tool.ts';

const CALL_MS_MAX = 60_000;
const TOOLS_MAX = 200;

export interface Declared {
  readonly call: string;
  readonly source: string;
}

export interface Discovered {
  readonly definitions: readonly ToolDefinition[];
  /** Declarations that cannot be used, and why; they cost the others nothing. */
  readonly problems: readonly string[];
}

const declaration = z
  .object({
    name: z
      .string()
      .regex(/^[a-zA-Z0-9_-]{1,64}$/, 'a name has 1 to 64 letters, digits, "_" and "-"')
      // A rule about a server must not be one about what only calls itself so.
      .refine((name) => !name.startsWith('mcp__'), 'only tools of MCP servers have names that begin with "mcp__"'),
    description: z.string().max(10_000).default(''),
    effect: z.enum(['read', 'idempotent']).optional(),
    input_schema: z.record(z.string(), z.unknown()).optional(),
    inputSchema: z.record(z.string(), z.unknown()).optional(),
    parameters: z.record(z.string(), z.unknown()).optional(),
    parametersJsonSchema: z.record(z.string(), z.unknown()).optional(),
  })
  .transform(({ input_schema, inputSchema, parameters, parametersJsonSchema, ...rest }) => ({
    ...rest,
    schema: input_schema ?? inputSchema ?? parametersJsonSchema ?? parameters ?? { type: 'object', properties: {} },
  }));

/** Reads what a discovery command printed. `attempt` begins the message when it is no list of declarations. */
export function readDeclarations(text: string, discovery: Declared, attempt: string): Discovered {
  const entries = entriesOf(parsed(text, attempt));
  if (entries === undefined) throw new ToolError('execution_failed', `${attempt}: it prints no list of declarations`);
  const definitions = new Map<string, ToolDefinition>();
  const problems: string[] = [];
  for (const [index, entry] of entries.slice(0, TOOLS_MAX).entries()) {
    const read = readDeclaration(entry, discovery);
    if (typeof read === 'string') problems.push(`${discovery.source}: tool ${index + 1}: ${read}`);
    else if (definitions.has(read.name))
      problems.push(`${discovery.source}: tool ${index + 1}: there are two tools named "${read.name}"`);
    else definitions.set(read.name, read);
  }
  if (entries.length > TOOLS_MAX)
    problems.push(`${discovery.source}: only the first ${TOOLS_MAX} of ${entries.length} tools are used`);
  return { definitions: [...definitions.values()], problems };
}

function parsed(text: string, attempt: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ToolError('execution_failed', `${attempt}: what it prints is not JSON`);
  }
}

/** A list of declarations, or of groups of them as Gemini's API has it. */
function entriesOf(value: unknown): readonly unknown[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.flatMap((entry: unknown): unknown[] => {
    const group = typeof entry === 'object' && entry !== null ? (Object.entries(entry) as [string, unknown][]) : [];
    const inner = group.find(([key]) => key === 'functionDeclarations' || key === 'function_declarations')?.[1];
    return Array.isArray(inner) ? inner : [entry];
  });
}

function readDeclaration(entry: unknown, declared: Declared): ToolDefinition | string {
  const read = declaration.safeParse(entry);
  if (!read.success) return problemsOf(read.error);
  try {
    return definitionOf(read.data, declared);
  } catch (error) {
    // Absurd nesting, of which no JSON can be made later either.
    if (error instanceof RangeError) return 'its schema nests too deep';
    throw error;
  }
}

function definitionOf(read: z.infer<typeof declaration>, { call, source }: Declared): ToolDefinition | string {
  const { name, description, effect = 'unsafe', schema } = read;
  const sendable = sendableSchema(schema);
  if (sendable.kind === 'refused') return sendable.why;
  const definition = toolDefinitionSchema.safeParse({
    name,
    description,
    inputSchema: sendable.schema,
    effect,
    timeoutMs: CALL_MS_MAX,
    local: false,
    origin: { kind: 'command', call, tool: name, source },
  });
  if (!definition.success) return problemsOf(definition.error);
  const bytes = Buffer.byteLength(canonicalJson(definition.data));
  if (bytes > DEFINITION_BYTES_MAX) return `its definition has ${bytes} bytes, more than ${DEFINITION_BYTES_MAX}`;
  return definition.data;
}

function problemsOf({ issues }: z.ZodError): string {
  return oneLine(issues.map(({ message }) => message).join('; '), 500);
}
