import * as z from 'zod';
import { TOOL_OUTPUT_CHARACTERS_MAX } from '../../contract/limits.ts';
import { clip } from '../clip.ts';
import { oneLine } from '../one-line.ts';
import { pathTouch } from './path-touch.ts';
import { defineTool } from '../tool.ts';
import type { Entry } from './workspace.ts';

/** More names than a model can use; a pattern finds the rest. */
const ENTRIES_MAX = 1_000;

export const lsTool = defineTool({
  name: 'ls',
  description: 'Lists a folder of the workspace, one entry a line. Folders end with "/", links show where they point.',
  input: z.strictObject({ path: z.string().min(1).default('.').describe('Path relative to the workspace.') }),
  effect: 'read',
  timeoutMs: 10_000,
  local: true,
  summarize: ({ path }) => `List ${oneLine(path, 180)}`,
  touches: async ({ path }, look) => await pathTouch(look, { path, access: 'read' }),
  async run({ path }, { workspace }) {
    const { entries, more } = await workspace.list(path, ENTRIES_MAX);
    if (entries.length === 0) return { text: '[The folder is empty.]' };
    const note = more
      ? `\n[The folder holds more than ${ENTRIES_MAX} entries; only these are shown. Use glob with a pattern.]`
      : '';
    return { text: clip(entries.map(line).join('\n'), TOOL_OUTPUT_CHARACTERS_MAX - note.length) + note };
  },
});

function line({ name, kind, target }: Entry): string {
  const shown = oneLine(name, 300);
  if (kind === 'folder') return `${shown}/`;
  return kind === 'link' ? `${shown} -> ${oneLine(target ?? '', 300)}` : shown;
}
