import { createRegistry, type Checked } from '../../src/tools/registry.ts';
import type { ToolCallResult } from '../../src/contract/tool-calls.ts';
import type { Tool, ToolContext } from '../../src/tools/tool.ts';
import { openWorkspace } from '../../src/tools/files/workspace.ts';
import { temporaryFolder } from './situation.ts';

export interface OneTool {
  readonly context: ToolContext;
  readonly run: (input: unknown, changes?: Partial<ToolContext>) => Promise<ToolCallResult>;
  readonly check: (input: unknown) => Promise<Checked>;
}

let calls = 0;

/** One tool alone, as a run would have it: checked and limited by the real registry. */
export async function oneTool(tool: Tool): Promise<OneTool> {
  const registry = createRegistry([tool]);
  calls += 1;
  const context: ToolContext = {
    workspace: await openWorkspace(await temporaryFolder()),
    signal: new AbortController().signal,
    key: `one-${process.pid}/${calls}-${Date.now()}`,
    live: () => {},
    permits: () => true,
    mayRead: () => true,
    mayReach: () => true,
    worker: `worker-${process.pid}`,
    agent: 'tester',
    unconfined: false,
    answers: [],
    definitions: registry.definitions([tool.name]),
  };
  return {
    context,
    async run(input, changes) {
      const ran = await registry.run({ name: tool.name, input }, { ...context, ...changes });
      if (ran.kind === 'ended') return ran.result;
      throw new Error(`Cannot end "${tool.name}": it asks "${ran.question.message}"`);
    },
    check: async (input) =>
      await registry.check({ name: tool.name, input }, { definitions: context.definitions, look: context }),
  };
}
