import type { ToolDefinition } from '../contract/spec.ts';

export interface Untwinned {
  readonly definitions: readonly ToolDefinition[];
  /** A line for each tool that is left out, with where both of the name come from. */
  readonly notices: readonly string[];
}

/** A tool that somebody brings never takes the place of one that was there before. */
export function withoutTwins(definitions: readonly ToolDefinition[]): Untwinned {
  const byName = new Map<string, ToolDefinition>();
  const notices: string[] = [];
  for (const definition of definitions) {
    const { name } = definition;
    const first = byName.get(name);
    if (first === undefined) byName.set(name, definition);
    else
      notices.push(
        `the tool "${name}" of ${sourceOf(definition)} is left out, because ${sourceOf(first)} has one of this name`,
      );
  }
  return { definitions: [...byName.values()], notices };
}

function sourceOf({ origin }: ToolDefinition): string {
  switch (origin?.kind) {
    case undefined:
      return 'Nightshift itself';
    case 'mcp':
      return `the MCP server ${origin.server}`;
    case 'command':
      return `"${origin.call}" (${origin.source})`;
    case 'api':
      return 'the model API';
  }
}
