import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { lstat, open, rename, rm, type FileHandle } from 'node:fs/promises';
import type { Anchor } from './anchor.ts';
import { ToolError } from '../tool.ts';
import { explained, systemCode, type Attempt } from './system-error.ts';

export interface Target {
  readonly anchor: Anchor;
  readonly name: string;
  /** How messages begin. */
  readonly attempt: Attempt;
}

/**
 * Replaces or creates a file in one step: whoever reads sees the old text or the new one, also when the process
 * dies here. Mode and owner of an existing file are kept. Files with more than one name are refused, since
 * another name may lie outside the workspace.
 */
export async function writeAtomically(target: Target, text: string): Promise<void> {
  const { anchor, name, attempt } = target;
  const temporary = anchor.at(`.nightshift-${randomUUID()}.tmp`);
  try {
    const existing = await existingFile(target);
    await anchor.check();
    await fillTemporary({ path: temporary, text, existing });
    await anchor.check();
    await rename(temporary, anchor.at(name));
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw explained(error, attempt);
  }
}

async function existingFile({ anchor, name, attempt }: Target): Promise<Stats | undefined> {
  const stats = await lstat(anchor.at(name)).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (stats === undefined) return undefined;
  if (stats.isDirectory()) throw new ToolError('invalid_params', `${attempt}: it is a folder`);
  if (!stats.isFile()) throw new ToolError('permission_denied', `${attempt}: it is not a regular file`);
  if (stats.nlink > 1) {
    throw new ToolError(
      'permission_denied',
      `${attempt}: it has ${stats.nlink} names (hard links), and not all may lie in the workspace`,
    );
  }
  return stats;
}

interface Filling {
  readonly path: string;
  readonly text: string;
  readonly existing: Stats | undefined;
}

async function fillTemporary({ path, text, existing }: Filling): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const file = await open(path, flags, 0o666);
  try {
    await file.writeFile(text, 'utf8');
    if (existing !== undefined) await keepOwnerAndMode(file, existing);
  } finally {
    await file.close();
  }
}

async function keepOwnerAndMode(file: FileHandle, existing: Stats): Promise<void> {
  const own = await file.stat();
  if (own.uid !== existing.uid || own.gid !== existing.gid) {
    // Only the superuser may give files away; for others the file becomes theirs, as with any editor.
    await file.chown(existing.uid, existing.gid).catch(() => {});
  }
  await file.chmod(existing.mode & 0o7777);
}
