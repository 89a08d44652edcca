import { createTwoFilesPatch } from 'diff';
import { ToolError } from '../tool.ts';
import type { Workspace } from './workspace.ts';

/** Comparing takes time that grows with the number of differences; beyond these the new text is shown instead. */
const DIFF_MS_MAX = 1_000;
const EDITS_MAX = 5_000;

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
  const options = { context: 3, timeout: DIFF_MS_MAX, maxEditLength: EDITS_MAX };
  const patch: string | undefined = createTwoFilesPatch(path, path, before, after, '', '', options);
  return patch ?? `${path} is replaced; it will hold:\n${after}`;
}
