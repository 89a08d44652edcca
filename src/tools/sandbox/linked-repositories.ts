import { execFile } from 'node:child_process';
import { lstat, readdir, readlink, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { textDigest } from '../digest.ts';
import { readPlainFile } from './plain-file.ts';
import { isWithin } from './system-mounts.ts';

/** In a repository: what makes git start programs, or points it to other settings. */
export const GUARDED_IN_GIT: readonly string[] = ['config', 'config.worktree', 'hooks', 'commondir'];

/** A repository that another one's index lists. */
export interface LinkedRepository {
  /** From the workspace. */
  readonly path: string;
  /** Where git keeps it: absolute, within the workspace, none of it a link. */
  readonly git: string;
  /** Of what git would obey. */
  readonly digest: string;
}

/** More than these are not looked at; nobody has so many. */
const REPOSITORIES_MAX = 1_000;

/** The mode of an entry that stands for another repository, as every version of the index holds it. */
const LINK_MODE = Buffer.from([0, 0, 0xe0, 0]);

const run = promisify(execFile);

/** Git fetches what a repository lacks even to list its index, by any program that the repository's settings name. */
const NOTHING_FETCHED = {
  PATH: '/usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_LAZY_FETCH: '1',
};

/**
 * The repositories that the index of the workspace's own lists, and those that theirs list. Asked about the outer one,
 * git looks into each, and obeys the settings it finds there. One of which `enters` says no is not looked into.
 */
export async function linkedRepositories(
  root: string,
  enters: (repository: LinkedRepository) => Promise<boolean> = async () => await Promise.resolve(true),
): Promise<readonly LinkedRepository[]> {
  const found: LinkedRepository[] = [];
  const paths = [''];
  for (const path of paths) {
    const git = await gitFolderOf(join(root, path));
    if (git === undefined || !isWithin(git, root)) continue;
    const repository = { path, git, digest: await digestOf(git) };
    if (path !== '') found.push(repository);
    if (path !== '' && !(await enters(repository))) continue;
    const linked = (await listed(git, join(root, path))).map((each) => join(path, each));
    paths.push(...linked.slice(0, REPOSITORIES_MAX - paths.length));
  }
  return found;
}

/** Undefined when the folder is no repository, or is reached by a link, which git does not follow. */
async function gitFolderOf(folder: string): Promise<string | undefined> {
  if ((await realpath(folder).catch(() => undefined)) !== folder) return undefined;
  const path = join(folder, '.git');
  const text = (await readPlainFile(path))?.toString() ?? '';
  const target = /^gitdir: (.*?)[\r\n]*$/s.exec(text)?.[1] ?? path;
  return await realpath(resolve(folder, target)).catch(() => undefined);
}

/** Git lists them, as the versions of the index are many; asked so, it starts no program. */
async function listed(git: string, folder: string): Promise<readonly string[]> {
  if (!(await mayLink(git))) return [];
  const settings = ['core.fsmonitor=false', 'safe.directory=*'].flatMap((one) => ['-c', one]);
  const place = [`--git-dir=${git}`, `--work-tree=${folder}`];
  const listing = run('git', [...settings, ...place, 'ls-files', '--stage', '-z'], {
    cwd: folder,
    env: NOTHING_FETCHED,
    maxBuffer: 1_024 ** 3,
    timeout: 60_000,
  });
  // An index that git cannot read leads nobody anywhere.
  const { stdout } = await listing.catch(() => ({ stdout: '' }));
  return stdout.split('\0').flatMap((line) => /^160000 [^\t]*\t(.+)$/s.exec(line)?.[1] ?? []);
}

/** Most repositories link to none, which is seen without starting git. */
async function mayLink(git: string): Promise<boolean> {
  const names = await readdir(git).catch(() => []);
  const indexes = names.filter((name) => name === 'index' || name.startsWith('sharedindex.'));
  const contents = await Promise.all(indexes.map(async (name) => await readPlainFile(join(git, name))));
  return contents.some((content) => content?.includes(LINK_MODE));
}

async function digestOf(git: string): Promise<string> {
  const seen = await Promise.all(GUARDED_IN_GIT.map(async (name) => await contentOf(join(git, name))));
  return textDigest(JSON.stringify(seen));
}

/** Of a folder, what tells that a file in it was changed. */
async function contentOf(path: string): Promise<unknown> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats === undefined) return null;
  if (stats.isSymbolicLink()) return ['link', await readlink(path).catch(() => '')];
  if (!stats.isDirectory()) return ['file', (await readPlainFile(path))?.toString('base64') ?? null];
  const names = (await readdir(path).catch(() => [])).toSorted((a, b) => a.localeCompare(b, 'en'));
  const inside = names.map(async (name) => {
    const { mode, size, ctimeMs } = await lstat(join(path, name));
    return [name, mode, size, ctimeMs];
  });
  return ['folder', await Promise.all(inside)];
}
