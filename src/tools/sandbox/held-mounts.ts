import { constants } from 'node:fs';
import { open, readlink, type FileHandle } from 'node:fs/promises';
import type { Mount } from './guarded.ts';

export interface HeldMount extends Mount {
  /** Undefined where bwrap takes paths only. */
  readonly handle?: FileHandle;
}

/**
 * Opens what will be mounted. Another command in the same workspace could put a link to somewhere else in its place
 * before bwrap gets there; what is held open cannot be exchanged.
 */
export async function holdMounts(mounts: readonly Mount[]): Promise<readonly HeldMount[]> {
  const held: HeldMount[] = [];
  try {
    for (const mount of mounts) {
      const handle = await open(mount.path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      held.push({ ...mount, handle });
      if ((await readlink(`/proc/self/fd/${handle.fd}`)) !== mount.path)
        throw new Error(`Cannot guard "${mount.path}": it was exchanged meanwhile`);
    }
    return held;
  } catch (error) {
    await releaseMounts(held);
    throw error;
  }
}

export async function releaseMounts(mounts: readonly HeldMount[]): Promise<void> {
  await Promise.all(mounts.map(async ({ handle }) => await handle?.close()));
}
