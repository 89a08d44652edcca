import * as z from 'zod';
import { defineTool, type Tool } from '../src/tools/tool.ts';
import { TWO_KILOBYTES } from './instant-model.ts';

const shape = {
  description: 'Answers with two kilobytes.',
  input: z.strictObject({}),
  timeoutMs: 5_000,
  summarize: () => 'two kilobytes',
  run: async () => await Promise.resolve({ text: TWO_KILOBYTES }),
};

/** A short read: it runs beside the workflow, as `read_file`, `ls`, `glob` and `grep` do. */
export const readTool: Tool = defineTool({ ...shape, name: 'bench_read', effect: 'read', local: true });

/** A call that must not happen twice: an activity of its own, claimed and stored, as `bash` is. */
export const unsafeTool: Tool = defineTool({ ...shape, name: 'bench_unsafe', effect: 'unsafe', local: false });
