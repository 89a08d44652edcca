import { access, constants } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import type { Context } from '../context.ts';
import { missing, note, ok, type Finding } from './finding.ts';

const NODE_MIN = [20, 19] as const;

/** What must be on the machine itself. */
export async function checkMachine({ env, settings }: Context): Promise<readonly Finding[]> {
  const { dataFolder, cacheFolder } = settings.folders;
  return [
    checkNode(process.versions.node),
    await checkRipgrep(env['PATH'] ?? ''),
    (await isExecutable('/bin/bash'))
      ? ok('bash', '/bin/bash')
      : note('bash', 'not at /bin/bash; commands run with /bin/sh'),
    await checkFolder('data folder', dataFolder),
    await checkFolder('cache folder', cacheFolder),
    checkModelAccess(settings.anthropic),
  ];
}

export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const enough = major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1]);
  return enough ? ok('Node', version) : missing('Node', `${version}; ${NODE_MIN.join('.')} or newer is needed`);
}

async function checkRipgrep(path: string): Promise<Finding> {
  const packaged = await import('@vscode/ripgrep').then(
    ({ rgPath }) => rgPath,
    () => null,
  );
  const candidates = [
    ...(packaged === null ? [] : [packaged]),
    ...path.split(delimiter).map((folder) => join(folder, 'rg')),
  ];
  for (const candidate of candidates) if (await isExecutable(candidate)) return ok('ripgrep', candidate);
  return missing('ripgrep', 'neither in the packages nor on PATH; grep and glob need it');
}

/** The folder itself is made when it is needed; its nearest existing parent must let us. */
async function checkFolder(name: string, path: string): Promise<Finding> {
  for (let folder = path; ; folder = dirname(folder)) {
    const exists = await access(folder).then(
      () => true,
      () => false,
    );
    if (!exists && dirname(folder) !== folder) continue;
    const writable = await access(folder, constants.W_OK | constants.X_OK).then(
      () => true,
      () => false,
    );
    return writable
      ? ok(name, folder === path ? path : `${path} (not made yet)`)
      : missing(name, `${path}: cannot be written`);
  }
}

/** Never the key itself. */
export function checkModelAccess({ apiKey, baseURL }: Context['settings']['anthropic']): Finding {
  if (apiKey === undefined)
    return note('model', 'OFFLINE: no ANTHROPIC_API_KEY, so a fixed script stands in for a model');
  return ok('model', `ANTHROPIC_API_KEY is set${baseURL === undefined ? '' : `, API at ${baseURL}`}`);
}

async function isExecutable(path: string): Promise<boolean> {
  return await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
