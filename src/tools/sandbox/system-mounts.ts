import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import type { Environment } from '../shell/call-environment.ts';

/** Programs and libraries. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store'];

/** What programs read of the system's settings. An allowlist: the rest of `/etc` may be keys. */
const SETTINGS = `
  alternatives bash.bashrc ca-certificates ca-certificates.conf crypto-policies debian_version fonts gai.conf
  gitconfig group host.conf hosts hostname inputrc java ld.so.cache ld.so.conf ld.so.conf.d locale.alias
  locale.conf localtime login.defs magic magic.mime maven mime.types nsswitch.conf os-release passwd perl php
  pki profile profile.d protocols python3 redhat-release services shells ssl static terminfo timezone xml
`
  .trim()
  .split(/\s+/);
/** Java's settings, by version. */
const JAVA = /^java-[\w.-]+$/;

/** Private keys within what is bound above. */
const PRIVATE = ['/etc/ssl/private', '/etc/pki/tls/private', '/etc/pki/rsyslog', '/etc/pki/nssdb'];

/** Version managers in the home folder whose programs are elsewhere than their names on PATH. They keep no secrets. */
const TOOLCHAINS = ['.asdf', '.bun', '.deno', '.nodenv', '.nvm', '.pyenv', '.rbenv', '.rustup', '.sdkman', '.volta'];

/** Folders that a confined command sees read-only, as arguments of bwrap. */
export function systemMounts(): readonly string[] {
  return [
    ...SYSTEM.flatMap(systemFolder),
    ...[...SETTINGS, ...readdirSync('/etc').filter((name) => JAVA.test(name))].flatMap(setting),
    ...PRIVATE.flatMap(emptied),
  ];
}

/** Folders of programs on PATH that lie elsewhere, such as Node below the home folder; never one that holds `root`. */
export function programFolders(
  environment: Environment,
  { home, root }: { home: string; root: string },
): readonly string[] {
  const folders = [...(environment['PATH'] ?? '').split(':'), dirname(process.execPath)];
  const wanted = folders
    .filter((folder) => folder.startsWith('/'))
    .flatMap((folder) => withLibraries(normalize(folder), home));
  const real = [
    ...new Set(wanted.filter((folder) => existsSync(folder)).flatMap((folder) => [folder, realpathSync(folder)])),
  ];
  return real.filter((folder) => isBindable(folder, { home, root })).toSorted();
}

/** Whether `inner` is `outer` or lies below it. */
export function isWithin(inner: string, outer: string): boolean {
  return inner === outer || inner.startsWith(outer.endsWith('/') ? outer : `${outer}/`);
}

function systemFolder(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  return lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
}

function setting(name: string): readonly string[] {
  return existsSync(join('/etc', name)) ? ['--ro-bind', join('/etc', name), join('/etc', name)] : [];
}

function emptied(path: string): readonly string[] {
  return existsSync(path) ? ['--tmpfs', path, '--remount-ro', path] : [];
}

function withLibraries(folder: string, home: string): readonly string[] {
  const below = isWithin(folder, home) ? folder.slice(home.length + 1).split('/')[0] : undefined;
  if (below !== undefined && TOOLCHAINS.includes(below)) return [join(home, below)];
  const rust = below === '.cargo' ? [join(home, '.rustup')] : [];
  const beside = ['lib', 'libexec'].map((name) => join(dirname(folder), name));
  return [folder, ...rust, ...(/\/s?bin\/?$/.test(folder) ? beside : [])];
}

/** A folder with a home, the workspace or a device in it says more than programs need. */
function isBindable(folder: string, { home, root }: { home: string; root: string }): boolean {
  if (isWithin(home, folder) || isWithin(root, folder) || isWithin(folder, root)) return false;
  if (SYSTEM.some((system) => isWithin(folder, system))) return false;
  if (['/proc', '/sys', '/dev', '/etc', '/run', '/tmp', '/var'].includes(folder)) return false;
  return !['/proc', '/sys', '/dev', '/etc'].some((system) => isWithin(folder, system)) && folder.split('/').length > 2;
}
