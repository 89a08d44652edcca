import * as z from 'zod';
import { defineTool, type Tool } from '../../src/tools/tool.ts';

/** A tool that changes the world outside the run: each call adds one to a count of its name. */
export function countingTool(counts: Map<string, number>): Tool {
  return defineTool({
    name: 'count',
    description: 'Adds one to a count and says what it is now.',
    input: z.strictObject({ name: z.string(), filler: z.string().optional() }),
    effect: 'unsafe',
    timeoutMs: 5_000,
    local: false,
    summarize: ({ name }) => `count ${name}`,
    async run({ name }) {
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      return await Promise.resolve({ text: `${name} is ${count}` });
    },
  });
}

/** A read that answers with as many bytes as it is asked for; it runs as a local activity. */
export const fillerTool: Tool = defineTool({
  name: 'filler',
  description: 'Answers with a text of the wanted size.',
  input: z.strictObject({ bytes: z.int(), mark: z.string().default('') }),
  effect: 'read',
  timeoutMs: 5_000,
  local: true,
  summarize: ({ bytes }) => `filler of ${bytes} bytes`,
  run: async ({ bytes, mark }) =>
    await Promise.resolve({ text: mark + 'lorem ipsum '.repeat(Math.ceil(bytes / 12)).slice(0, bytes) }),
});
