import { createTwoFilesPatch } from 'diff';
import { ToolError } from '../tool.ts';
import type { Workspace } from './workspace.ts';

/**
 * Comparing takes time that grows with the square of the differences; beyond these the new text is shown instead. It is
 * no limit of time, since the same change must look the same before it runs, however busy the machine is by then.
 */
const EDITS_MAX = 2_000;

/** What a file holds now; undefined when there is none. */
export async function presentText(workspace: Workspace, path: string): Promise<string | undefined> {
  try {
    return await workspace.readText(path);
  } catch (error) {
    if (error instanceof ToolError && error.kind === 'file_not_found') return undefined;
    throw error;
  }
}

/** The change of a file as a unified diff, for people. */
export function changeText(
  path: string,
  { before, after }: { readonly before: string | undefined; readonly after: string },
): string {
  if (before === undefined) return `New file ${path}:\n${after}`;
  if (before === after) return `${path} stays as it is.`;
  const options = { context: 3, maxEditLength: EDITS_MAX };
  const patch: string | undefined = createTwoFilesPatch(path, path, before, after, '', '', options);
  return patch ?? `${path} is replaced; it will hold:\n${after}`;
}
