import type { Tool } from '@modelcontextprotocol/client';
import { mcpTimes, type McpServer } from '../contract/mcp-server.ts';
import type { ToolDefinition } from '../contract/spec.ts';
import { clip } from '../tools/clip.ts';
import { oneLine } from '../tools/one-line.ts';
import { DEFINITION_BYTES_MAX, sendableSchema } from '../tools/foreign-schema.ts';
import { effectOf, pinOf } from './pin.ts';
import { toolNameOf } from './tool-name.ts';

/** Tools of one server; a spec has room for a few hundred small ones. */
const TOOLS_MAX = 500;

const INSTRUCTIONS_CHARACTERS_MAX = 4_096;

export interface ServerListing {
  readonly server: McpServer;
  readonly digest: string;
  readonly tools: readonly Tool[];
  readonly instructions: string | undefined;
}

export interface Definitions {
  readonly definitions: readonly ToolDefinition[];
  /** Tools that are left out, and why. */
  readonly notices: readonly string[];
}

/** What a run is told of the tools of a server. A tool that would spoil the run is left out; the others stay. */
export function definitionsOf(listing: ServerListing): Definitions {
  const { tools } = listing;
  const definitions = new Map<string, ToolDefinition>();
  const notices: string[] = [];
  if (tools.length > TOOLS_MAX) notices.push(`it has ${tools.length} tools; only the first ${TOOLS_MAX} are used`);
  for (const tool of tools.slice(0, TOOLS_MAX)) {
    const shown = `"${oneLine(tool.name, 128)}"`;
    const made = definitionOf(tool, listing);
    if (made.kind === 'refused') notices.push(`tool ${shown} is left out: ${made.why}`);
    else if (definitions.has(made.definition.name)) notices.push(`tool ${shown} is left out: it is listed twice`);
    else definitions.set(made.definition.name, made.definition);
  }
  return { definitions: [...definitions.values()], notices };
}

type Made =
  | { readonly kind: 'definition'; readonly definition: ToolDefinition }
  | { readonly kind: 'refused'; readonly why: string };

/** The definition of one tool, with all that its pin is about. */
export function definitionOf(tool: Tool, { server, digest, instructions }: Omit<ServerListing, 'tools'>): Made {
  try {
    const schema = sendableSchema(tool.inputSchema);
    if (schema.kind === 'refused') return schema;
    const definition: ToolDefinition = {
      name: toolNameOf(server.name, tool.name),
      description: tool.description ?? tool.title ?? `The tool "${tool.name}" of "${server.name}".`,
      inputSchema: schema.schema,
      effect: effectOf(tool),
      timeoutMs: mcpTimes(server).totalMs,
      local: false,
      origin: { kind: 'mcp', server: server.name, tool: tool.name, config: digest, pin: pinOf(tool) },
      ...(instructions !== undefined && instructions.trim() !== '' && told(server.name, instructions)),
    };
    const bytes = Buffer.byteLength(JSON.stringify({ ...definition, instructions: undefined }));
    if (bytes <= DEFINITION_BYTES_MAX) return { kind: 'definition', definition };
    return { kind: 'refused', why: `its definition has ${bytes} bytes, more than ${DEFINITION_BYTES_MAX}` };
  } catch (error) {
    // Absurd nesting: neither the digest nor JSON can be made of it.
    if (error instanceof RangeError) return { kind: 'refused', why: 'its definition nests too deep' };
    throw error;
  }
}

function told(server: string, instructions: string): Pick<ToolDefinition, 'instructions'> {
  const text = clip(instructions, INSTRUCTIONS_CHARACTERS_MAX);
  return { instructions: `The MCP server "${server}" says about its tools:\n${text}` };
}
