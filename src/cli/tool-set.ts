import type { ToolDefinition } from '../contract/spec.ts';
import { askHumanDefinition } from '../core/ask-human.ts';
import { builtinTools } from '../tools/builtin.ts';
import { createRegistry } from '../tools/registry.ts';

export interface ToolSet {
  /** What runs get without `ask_human`. */
  readonly toolDefinitions: readonly ToolDefinition[];
  readonly askHumanDefinition: ToolDefinition;
}

/** The tools that a run may be given. */
export function toolSet(): ToolSet {
  const registry = createRegistry(builtinTools);
  return { toolDefinitions: registry.definitions(registry.names), askHumanDefinition };
}

/** Their names, as agent files may use them. */
export function knownTools(): readonly string[] {
  const { toolDefinitions } = toolSet();
  return [...toolDefinitions, askHumanDefinition].map(({ name }) => name);
}
