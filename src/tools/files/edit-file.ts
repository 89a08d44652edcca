import * as z from 'zod';
import { changeText } from './file-change.ts';
import { oneLine, quoted } from '../one-line.ts';
import { pathTouch } from './path-touch.ts';
import { defineTool, ToolError, type Probed } from '../tool.ts';
import { WHOLE_FILE_BYTES_MAX } from './workspace.ts';

const input = z.strictObject({
  path: z.string().min(1).describe('Path relative to the workspace.'),
  old: z.string().min(1).describe('Text to replace, exactly as it stands in the file.'),
  new: z.string().describe('Text to put in its place.'),
  all: z.boolean().optional().describe('Replace every occurrence; without it there must be exactly one.'),
});

type Edit = z.infer<typeof input>;

/**
 * Replaces exact text. Not idempotent: after the first time `old` is gone, or worse, stands in `new` and would
 * be replaced again. But it can be checked, because the file either still holds the old text or holds the new one.
 */
export const editFileTool = defineTool({
  name: 'edit_file',
  description:
    'Replaces exact text in a file of the workspace. Fails when the text is not there, or there more than once.',
  input,
  effect: 'checkable',
  timeoutMs: 30_000,
  local: false,
  summarize: ({ path, all }) => `Edit ${oneLine(path, 140)}${all === true ? ' (every occurrence)' : ''}`,
  touches: async ({ path }, look) => await pathTouch(look, { path, access: 'write' }),
  async preview(edit, { workspace }) {
    const before = await workspace.readText(edit.path);
    return changeText(edit.path, { before, after: replaced(before, edit).edited });
  },
  probe: async (edit, { workspace }) => found(await workspace.readText(edit.path), edit),
  async run(edit, { workspace, permits, signal }) {
    const text = await workspace.readText(edit.path);
    const { edited, count, line } = replaced(text, edit);
    signal.throwIfAborted();
    const written = await workspace.writeText(edit.path, { text: edited, permits });
    const what = count === 1 ? `the text at line ${line}` : `${count} occurrences, the first at line ${line}`;
    return { text: `Replaced ${what} of ${oneLine(written, 400)}.` };
  },
});

interface Replacement {
  readonly edited: string;
  readonly count: number;
  /** Of the first occurrence, counted from 1. */
  readonly line: number;
}

function replaced(text: string, edit: Edit): Replacement {
  const first = text.indexOf(edit.old);
  if (first < 0) throw refused(edit, notFound(text, edit));
  if (edit.old === edit.new) throw refused(edit, 'old and new are the same');
  // Overlapping occurrences count as several, since it is not clear which one is meant.
  if (edit.all !== true && text.indexOf(edit.old, first + 1) >= 0) {
    throw refused(edit, 'the old text occurs more than once; add lines around it to make it unique, or set all');
  }
  const count = countOf(text, edit.old);
  if (text.length + count * (edit.new.length - edit.old.length) > WHOLE_FILE_BYTES_MAX)
    throw refused(edit, 'the file would become larger than 16 MiB');
  const line = text.slice(0, first).split('\n').length;
  return { edited: text.replaceAll(edit.old, () => edit.new), count, line };
}

function countOf(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count += 1;
  return count;
}

/** The file is written in one step, so it is as before or as after; where the texts overlap, it cannot be told which. */
function found(text: string, edit: Edit): Probed {
  const [hasOld, hasNew] = [text.includes(edit.old), edit.new !== '' && text.includes(edit.new)];
  if (hasOld && !hasNew) return { kind: 'not_happened' };
  if (hasNew && !hasOld)
    return {
      kind: 'happened',
      output: { text: `Replaced the text in ${oneLine(edit.path, 400)}; its worker was lost after it.` },
    };
  return { kind: 'unknown' };
}

function notFound(text: string, { old }: Edit): string {
  const otherEnds = text.includes('\r\n') && !old.includes('\r') && text.replaceAll('\r\n', '\n').includes(old);
  return otherEnds ? 'the old text is not in it; its lines end with \\r\\n' : 'the old text is not in it';
}

function refused(edit: Edit, reason: string): ToolError {
  return new ToolError('invalid_params', `Cannot edit ${quoted(edit.path)}: ${reason}`);
}
