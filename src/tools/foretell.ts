import type { LookContext, Tool } from './tool.ts';

/** A preview that takes longer is left out: nobody should wait for it. */
const PREVIEW_MS_MAX = 5_000;

/** What the tool says will happen; undefined when it says nothing, or cannot tell. */
export async function foretell(tool: Tool, input: unknown, look: LookContext): Promise<string | undefined> {
  if (tool.preview === undefined) return undefined;
  const timer = new AbortController();
  const late = new Promise<undefined>((resolve) => {
    const timeout = setTimeout(() => resolve(undefined), PREVIEW_MS_MAX);
    timer.signal.addEventListener('abort', () => clearTimeout(timeout));
  });
  try {
    return await Promise.race([previewOf(tool.preview, input, look), late]);
  } finally {
    timer.abort();
  }
}

/** A preview that fails says why: the call will most likely fail for the same reason. */
async function previewOf(preview: NonNullable<Tool['preview']>, input: unknown, look: LookContext): Promise<string> {
  try {
    return await preview(input, look);
  } catch (error) {
    return `[What it will do cannot be foretold: ${error instanceof Error ? error.message : String(error)}]`;
  }
}
