import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import type { Environment } from './environment.ts';

export interface Folders {
  /** Databases, locks, logs, claims: what must survive. */
  readonly dataFolder: string;
  /** What can be fetched or built again. */
  readonly cacheFolder: string;
}

/** `NIGHTSHIFT_HOME` holds everything when it is set; otherwise the XDG folders do. */
export function findFolders(env: Environment): Folders {
  const home = env['NIGHTSHIFT_HOME'];
  if (home !== undefined && home !== '') {
    return { dataFolder: resolve(home), cacheFolder: join(resolve(home), 'cache') };
  }
  return {
    dataFolder: join(xdg(env['XDG_DATA_HOME']) ?? join(userHome(env), '.local', 'share'), 'nightshift'),
    cacheFolder: join(xdg(env['XDG_CACHE_HOME']) ?? join(userHome(env), '.cache'), 'nightshift'),
  };
}

/** The home folder as the environment names it, or as the system does. */
export function userHome(env: Environment): string {
  const home = env['HOME'];
  return home !== undefined && home !== '' ? home : homedir();
}

/** The XDG specification says to ignore a path that is not absolute. */
function xdg(value: string | undefined): string | undefined {
  return value !== undefined && isAbsolute(value) ? value : undefined;
}
