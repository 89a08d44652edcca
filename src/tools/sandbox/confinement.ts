import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { HeldMount } from './held-mounts.ts';
import { isWithin, programFolders, systemMounts } from './system-mounts.ts';
import type { Environment } from '../shell/call-environment.ts';

/** What this machine's bwrap can do; older ones lack some. */
export interface Bwrap {
  readonly path: string;
  readonly userNamespace: boolean;
  readonly disableUserNamespaces: boolean;
  readonly sizes: boolean;
  /** Mounts what is held open, and not only what lies at a path. */
  readonly descriptors: boolean;
}

export interface Wish {
  readonly bwrap: Bwrap;
  /** Real path of the workspace. */
  readonly root: string;
  readonly environment: Environment;
  readonly mounts: readonly HeldMount[];
  /** Sockets of others in the workspace. */
  readonly sockets: readonly string[];
  /** Folders of ours that are never shown, wherever they lie. */
  readonly hidden: readonly string[];
  /** Our proxy's socket, when domains are allowed. */
  readonly proxy?: string;
}

/** Where a confined command finds the proxy. */
export const PROXY_SOCKET = '/run/nightshift-proxy.sock';

/** Where programs look for a proxy, and where the one in the sandbox listens. */
const PROXY_NAMES = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'];
export const PROXY_PORT = 3128;
const PROXY_URL = `http://127.0.0.1:${PROXY_PORT}`;

/** Of what is kept in memory while the command runs, each. */
const MEMORY_FILES_BYTES_MAX = 1_024 * 1_024 * 1_024;

const MIB = 1_024 * 1_024;

/**
 * The arguments of bwrap up to the command: a small root of system folders that cannot be written, empty folders in
 * memory for the rest, and the workspace.
 */
export function bwrapArguments(wish: Wish): readonly string[] {
  const { bwrap, root, environment } = wish;
  const home = sandboxHome(environment);
  return [
    namespaces(bwrap),
    systemMounts(),
    // Root without capabilities still owns the files of the kernel's settings, and one of them names a program.
    ['--proc', '/proc', '--remount-ro', '/proc', '--dev', '/dev'],
    inMemory(bwrap, '/dev/shm', MEMORY_FILES_BYTES_MAX),
    ['--remount-ro', '/dev'],
    inMemory(bwrap, '/tmp', MEMORY_FILES_BYTES_MAX),
    inMemory(bwrap, '/run', MIB),
    inMemory(bwrap, '/var', MEMORY_FILES_BYTES_MAX),
    ['--dir', '/var/tmp'],
    ['/tmp', '/run', '/var'].includes(home) ? [] : inMemory(bwrap, home, MEMORY_FILES_BYTES_MAX),
    programFolders(environment, { home, root }).flatMap((folder) => ['--ro-bind', folder, folder]),
    ['--bind', root, root],
    ours(wish),
    wish.mounts.flatMap(mounted),
    wish.sockets.flatMap((path) => ['--ro-bind', '/dev/null', path]),
    wish.proxy === undefined ? [] : ['--ro-bind', wish.proxy, PROXY_SOCKET],
    ['--remount-ro', '/', '--chdir', root],
  ].flat();
}

/** The environment of a confined command: what is in memory there is where programs keep their own. */
export function confinedEnvironment(
  given: Readonly<Record<string, string>>,
  isProxied: boolean,
): Record<string, string> {
  const proxy = isProxied ? Object.fromEntries(PROXY_NAMES.map((name) => [name, PROXY_URL])) : {};
  return { ...given, HOME: sandboxHome(given), TMPDIR: '/tmp', ...proxy };
}

/** Where an absolute folder of that name can be made without hiding the system. */
export function sandboxHome({ HOME: home = '' }: Environment): string {
  const folder = home.replace(/\/+$/, '');
  const isUsable =
    folder.startsWith('/') && !/^\/(usr|bin|sbin|lib\w*|etc|proc|sys|dev|nix)(\/|$)|\/\.\.?(\/|$)|\/\//.test(folder);
  return isUsable ? folder : '/tmp';
}

function namespaces({ userNamespace, disableUserNamespaces }: Bwrap): readonly string[] {
  // By itself `--unshare-all` goes on without a user namespace where there is none.
  const user = userNamespace ? ['--unshare-user'] : [];
  const disable = disableUserNamespaces ? ['--disable-userns'] : [];
  const rest = ['--die-with-parent', '--new-session', '--cap-drop', 'ALL'];
  return ['--unshare-all', ...user, ...disable, ...rest];
}

function inMemory({ sizes }: Bwrap, path: string, bytes: number): readonly string[] {
  return [...(sizes ? ['--perms', '1777', '--size', String(bytes)] : []), '--tmpfs', path];
}

/** Claims and results decide whether an effect is repeated, so of our folder only kept outputs are shown. */
function ours({ bwrap, root, hidden }: Wish): readonly string[] {
  const folder = join(root, '.nightshift');
  const output = join(folder, 'output');
  const inside = hidden.filter(
    (path) => path !== root && isWithin(path, root) && !isWithin(path, folder) && existsSync(path),
  );
  return [
    inMemory(bwrap, folder, MIB),
    ['--ro-bind', output, output, '--remount-ro', folder],
    inside.flatMap((path) => [...inMemory(bwrap, path, MIB), '--remount-ro', path]),
  ].flat();
}

/** Held mounts follow the descriptors that every launch has. */
export const FIRST_MOUNT_DESCRIPTOR = 6;

function mounted({ kind, path, handle }: HeldMount, index: number): readonly string[] {
  const option = kind === 'pinned' ? '--bind' : '--ro-bind';
  return handle === undefined ? [option, path, path] : [`${option}-fd`, String(FIRST_MOUNT_DESCRIPTOR + index), path];
}
