import * as z from 'zod';
import { changeText, presentText } from './file-change.ts';
import { oneLine } from '../one-line.ts';
import { pathTouch } from './path-touch.ts';
import { defineTool } from '../tool.ts';

/** Replaces or creates a whole file. Doing it twice is the same as once, so a retry may repeat it. */
export const writeFileTool = defineTool({
  name: 'write_file',
  description: 'Writes a whole text file in the workspace, replacing what was there. Missing folders are created.',
  input: z.strictObject({
    path: z.string().min(1).describe('Path relative to the workspace.'),
    content: z.string().describe('The whole new text of the file.'),
  }),
  effect: 'idempotent',
  timeoutMs: 30_000,
  local: false,
  summarize: ({ path, content }) => `Write ${oneLine(path, 140)} (${content.length} characters)`,
  touches: async ({ path }, look) => await pathTouch(look, { path, access: 'write' }),
  preview: async ({ path, content }, { workspace }) =>
    changeText(path, { before: await presentText(workspace, path), after: content }),
  async run({ path, content }, { workspace, permits, signal }) {
    signal.throwIfAborted();
    const written = await workspace.writeText(path, { text: content, permits });
    return { text: `Wrote ${Buffer.byteLength(content)} bytes to ${oneLine(written, 400)}.` };
  },
});
