import type { ToolDefinition } from '../contract/spec.ts';
import { askHumanDefinition } from '../contract/ask-human.ts';
import type { Environment } from '../config/environment.ts';
import { createBuiltinTools } from '../tools/builtin.ts';
import { createRegistry } from '../tools/registry.ts';

export interface ToolSet {
  /** What runs get without `ask_human`. */
  readonly toolDefinitions: readonly ToolDefinition[];
  readonly askHumanDefinition: ToolDefinition;
}

/** The tools that a run may be given. */
export function toolSet(env: Environment): ToolSet {
  const registry = createRegistry(createBuiltinTools(env));
  return { toolDefinitions: registry.definitions(registry.names), askHumanDefinition };
}

/** Their names, as agent files may use them. */
export function knownTools(env: Environment): readonly string[] {
  const { toolDefinitions } = toolSet(env);
  return [...toolDefinitions, askHumanDefinition].map(({ name }) => name);
}
