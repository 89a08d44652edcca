import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Bwrap } from './confinement.ts';

/** Never looked for on PATH: a folder there may belong to a workspace. */
const PLACES = ['/usr/bin/bwrap', '/bin/bwrap', '/usr/local/bin/bwrap', '/run/current-system/sw/bin/bwrap'];

const HELP_MS_MAX = 10_000;

/** The bwrap of this machine, once for each way in which it may be able to confine, the strongest first. */
export async function findBwraps(
  given: string | undefined,
): Promise<{ readonly bwraps: readonly Bwrap[] } | { readonly problem: string }> {
  if (process.platform !== 'linux')
    return { problem: `there is no sandbox for ${process.platform} yet, only for Linux` };
  const path = given ?? PLACES.find((place) => existsSync(place));
  if (path === undefined)
    return { problem: 'bubblewrap is not installed (on Debian and Ubuntu: apt-get install bubblewrap)' };
  const help = await promisify(execFile)(path, ['--help'], { env: {}, timeout: HELP_MS_MAX }).catch(() => undefined);
  if (help === undefined) return { problem: `"${path}" does not run` };
  const text = `${help.stdout}${help.stderr}`;
  const all = {
    path,
    sizes: text.includes('--size') && text.includes('--perms'),
    descriptors: text.includes('--ro-bind-fd'),
  };
  const disable = text.includes('--disable-userns');
  return {
    bwraps: [
      ...(disable ? [{ ...all, userNamespace: true, disableUserNamespaces: true }] : []),
      { ...all, userNamespace: true, disableUserNamespaces: false },
      // Where user namespaces are forbidden, root can do without.
      ...(process.getuid?.() === 0 ? [{ ...all, userNamespace: false, disableUserNamespaces: false }] : []),
    ],
  };
}
