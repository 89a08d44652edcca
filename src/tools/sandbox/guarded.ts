import type { Stats } from 'node:fs';
import { lstat, readdir, readlink, realpath, rename, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { AGENTS_FOLDER, GUARDED_PATHS } from '../../contract/guarded-paths.ts';
import { availableAnchoring, openAnchor } from '../files/anchor.ts';
import { makeNightshiftFolder } from '../nightshift-folder.ts';
import { safeName } from '../safe-name.ts';
import { isHarmlessGitConfig } from './git-config.ts';
import { GUARDED_IN_GIT, linkedRepositories } from './linked-repositories.ts';
import { readPlainFile } from './plain-file.ts';
import { isWithin } from './system-mounts.ts';

export interface Mount {
  readonly kind: 'read-only' | 'pinned';
  readonly path: string;
}

/** What was guarded when a command began. */
export interface Guard {
  /** Absolute, none of them a link. */
  readonly mounts: readonly Mount[];
  /** Relative; not there, and not to be there afterwards. */
  readonly absent: readonly string[];
  /** Relative, with where it pointed. */
  readonly links: readonly { readonly path: string; readonly target: string }[];
  readonly isBareRepository: boolean;
  /** Digests of what git obeys in repositories within; left out of notes that earlier versions wrote. */
  readonly repositories?: Readonly<Record<string, string>> | undefined;
}

/** Looks at what is to be guarded in a workspace. */
export async function surveyGuarded(root: string): Promise<Guard> {
  const mounts: Mount[] = [];
  const absent: string[] = [];
  const links: { path: string; target: string }[] = [];
  const git = await kindOf(join(root, '.git'));
  if (git === 'folder') mounts.push({ kind: 'pinned', path: join(root, '.git') });
  const inGit = git === 'folder' ? GUARDED_IN_GIT.map((name) => `.git/${name}`) : ['.git'];
  for (const path of [...GUARDED_PATHS, AGENTS_FOLDER, ...inGit]) {
    const kind = await guardedKind(root, path);
    if (kind === 'none') absent.push(path);
    else if (kind === 'link') {
      links.push({ path, target: await readlink(join(root, path)) });
      const real = await realpath(join(root, path)).catch(() => root);
      if (real !== root && isWithin(real, root)) mounts.push({ kind: 'read-only', path: real });
    } else mounts.push({ kind: 'read-only', path: join(root, path) });
  }
  const repositories = (await linkedRepositories(root)).map(({ path, digest }) => [path, digest] as const);
  return {
    mounts,
    absent,
    links,
    isBareRepository: await isBareRepository(root),
    repositories: Object.fromEntries(repositories),
  };
}

/**
 * Puts away what a command made although it is guarded, and makes links point again where they did. Resolves to the
 * paths of what was put away.
 */
export async function putAway(root: string, guard: Guard, key: string): Promise<readonly string[]> {
  const made = await findMade(root, guard);
  await quarantine(root, { made, key });
  for (const { path, target } of guard.links)
    if (made.includes(path)) await symlink(target, join(root, path)).catch(() => {});
  // Git is asked about these, so only when nothing of the outer repository can start a program.
  const within = await unsafeRepositories(root, guard);
  await quarantine(root, { made: within, key: `${key} within` });
  return [...made, ...within];
}

async function quarantine(
  root: string,
  { made, key }: { readonly made: readonly string[]; readonly key: string },
): Promise<void> {
  for (const [index, path] of made.entries()) {
    const folder = await makeNightshiftFolder(root, ['quarantine', safeName(key)]);
    await moveAway(join(root, path), join(folder, `${index}-${path.replaceAll('/', '-').slice(-200)}`));
  }
}

async function findMade(root: string, guard: Guard): Promise<readonly string[]> {
  const made: string[] = [];
  for (const path of guard.absent) made.push(...(await madeAt(root, path)));
  for (const { path, target } of guard.links)
    if ((await readlink(join(root, path)).catch(() => undefined)) !== target && (await isThere(join(root, path))))
      made.push(path);
  if (!guard.isBareRepository && (await isBareRepository(root))) made.push('HEAD');
  return made;
}

/** Repositories within this one that are new or were given other settings, and could start something. */
async function unsafeRepositories(root: string, { repositories }: Guard): Promise<readonly string[]> {
  const unsafe: string[] = [];
  if (repositories === undefined) return unsafe;
  await linkedRepositories(root, async ({ path, git, digest }) => {
    const isSafe = repositories[path] === digest || (await unsafeIn(git)).length === 0;
    if (!isSafe) unsafe.push(`${path}/.git`);
    return isSafe;
  });
  return unsafe;
}

async function madeAt(root: string, path: string): Promise<readonly string[]> {
  const kind = await kindOf(join(root, path));
  if (path === '.git' && kind === 'folder') return (await unsafeIn(join(root, path))).map((name) => `${path}/${name}`);
  if (path === AGENTS_FOLDER && kind === 'folder') return await agentFiles(root);
  return kind === 'none' ? [] : [path];
}

async function guardedKind(root: string, path: string): ReturnType<typeof kindOf> {
  const kind = await kindOf(join(root, path));
  return path === AGENTS_FOLDER && kind === 'folder' && (await agentFiles(root)).length === 0 ? 'none' : kind;
}

async function agentFiles(root: string): Promise<readonly string[]> {
  const names = await readdir(join(root, AGENTS_FOLDER)).catch(() => []);
  return names.filter((name) => name.endsWith('.md')).map((name) => `${AGENTS_FOLDER}/${name}`);
}

/** A repository that the command itself made is welcome, but not what would run when somebody else uses git there. */
async function unsafeIn(git: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of GUARDED_IN_GIT) {
    const path = join(git, name);
    if ((await isThere(path)) && !(await isHarmless(name, path))) found.push(name);
  }
  return found;
}

async function isHarmless(name: string, path: string): Promise<boolean> {
  const kind = await kindOf(path);
  if (name === 'hooks') return kind === 'folder' && (await readdir(path)).every((hook) => hook.endsWith('.sample'));
  if (name !== 'config' || kind !== 'file') return false;
  return isHarmlessGitConfig((await readPlainFile(path))?.toString() ?? '[core]\nfsmonitor');
}

/** Git also takes a folder for a repository that itself holds these. */
async function isBareRepository(root: string): Promise<boolean> {
  return (await Promise.all(['HEAD', 'objects', 'refs'].map(async (name) => await isThere(join(root, name))))).every(
    Boolean,
  );
}

/** Held by its folder: another command could put a link to somewhere else in the folder's place meanwhile. */
async function moveAway(from: string, to: string): Promise<void> {
  const folder = await openAnchor(dirname(from), availableAnchoring());
  try {
    if (folder.path !== dirname(from)) throw new Error(`Cannot put away "${from}": its folder was exchanged meanwhile`);
    const name = folder.at(basename(from));
    await rm(to, { recursive: true, force: true });
    await rename(name, to).catch(async () => await rm(name, { recursive: true, force: true }));
    await folder.check();
  } finally {
    await folder.close();
  }
  if (await isThere(from)) throw new Error(`Cannot put away "${from}": it may act on programs outside the sandbox`);
}

async function isThere(path: string): Promise<boolean> {
  return (await kindOf(path)) !== 'none';
}

async function kindOf(path: string): Promise<'none' | 'file' | 'folder' | 'link'> {
  const stats: Stats | undefined = await lstat(path).catch(() => undefined);
  if (stats === undefined) return 'none';
  if (stats.isSymbolicLink()) return 'link';
  return stats.isDirectory() ? 'folder' : 'file';
}
