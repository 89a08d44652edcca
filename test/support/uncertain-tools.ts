import * as z from 'zod';
import { defineTool, ToolError } from '../../src/tools/tool.ts';

/** Nobody knows what came of its first start; the one that a person asks for works. */
export const lostTool = defineTool({
  name: 'lost',
  description: 'Nobody knows what came of it, the first time.',
  input: z.strictObject({}),
  effect: 'unsafe',
  timeoutMs: 5_000,
  local: false,
  summarize: () => 'Send the mail',
  async run(_input, { key }) {
    if (!key.endsWith('-a2')) throw new ToolError('outcome_unknown', 'the connection broke');
    return await Promise.resolve({ text: 'sent' });
  },
});

/** Asks which row before it does anything. */
export const askingTool = defineTool({
  name: 'asking',
  description: 'Wants to know something.',
  input: z.strictObject({}),
  effect: 'unsafe',
  timeoutMs: 5_000,
  local: false,
  summarize: () => 'Book a seat',
  async run(_input, { answers }) {
    const [first] = answers;
    const question = { message: 'Which row?', options: [{ id: 'a', label: 'Row A' }], state: 'row' };
    return await Promise.resolve(first === undefined ? { text: '', question } : { text: JSON.stringify(first) });
  },
});
