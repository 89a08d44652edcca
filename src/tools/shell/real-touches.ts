import { isAbsolute, relative } from 'node:path';
import type { Touch } from '../../contract/tool-calls.ts';
import type { LookContext } from '../tool.ts';

/**
 * Puts real paths in place of those a shell line names, so that a rule about a folder is not led astray by a link. What
 * lies outside stays as it is written, and never fits a rule about the workspace.
 */
export async function realTouches(touches: readonly Touch[], look: LookContext): Promise<readonly Touch[]> {
  return await Promise.all(touches.map(async (touch) => (touch.kind === 'path' ? await realPath(touch, look) : touch)));
}

async function realPath(touch: Extract<Touch, { kind: 'path' }>, { workspace }: LookContext): Promise<Touch> {
  const within = isAbsolute(touch.path) ? relative(workspace.root, touch.path) : touch.path;
  if (isAbsolute(within) || within === '..' || within.startsWith('../')) return touch;
  try {
    return { ...touch, path: await workspace.relative(within) };
  } catch {
    return { kind: 'opaque', why: `where ${touch.path} leads cannot be told` };
  }
}
