import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';

/** The version of the official CLI that is built when none is found: server 1.29.1, Web UI 2.42.1. */
export const CLI_VERSION = '1.5.1';

/** What the SDK calls itself to its download service, and thereby how it names the file. */
export const SDK = { name: 'sdk-typescript', version: '1.24.0' } as const;

export function binaryFolder(cacheFolder: string): string {
  return join(cacheFolder, 'bin');
}

export function builtBinary(cacheFolder: string): string {
  return join(binaryFolder(cacheFolder), `temporal-${CLI_VERSION}`);
}

export function downloadedBinary(cacheFolder: string): string {
  const extension = process.platform === 'win32' ? '.exe' : '';
  return join(binaryFolder(cacheFolder), `temporal-${SDK.name}-${SDK.version}${extension}`);
}

/** Binaries that an earlier start left in the cache. */
export async function cachedBinaries(cacheFolder: string): Promise<readonly string[]> {
  const candidates = [builtBinary(cacheFolder), downloadedBinary(cacheFolder)];
  const present = await Promise.all(candidates.map(exists));
  return candidates.filter((_, index) => present[index]);
}

async function exists(path: string): Promise<boolean> {
  return await access(path, constants.F_OK).then(
    () => true,
    () => false,
  );
}
