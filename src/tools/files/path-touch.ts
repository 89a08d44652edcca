import type { Touch } from '../../contract/tool-calls.ts';
import type { LookContext } from '../tool.ts';

/** What a call on one path reaches for: the real path, so that a rule about a folder is not led astray by a link. */
export async function pathTouch(
  { workspace }: LookContext,
  { path, access }: { readonly path: string; readonly access: 'read' | 'write' },
): Promise<readonly Touch[]> {
  return [{ kind: 'path', path: await workspace.relative(path), access }];
}
