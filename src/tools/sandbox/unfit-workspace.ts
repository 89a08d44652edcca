import { isWithin } from './system-mounts.ts';

/** Folders that are the system's, or hold other people's. */
const SYSTEM = [
  '/usr',
  '/etc',
  '/bin',
  '/sbin',
  '/lib',
  '/lib64',
  '/boot',
  '/dev',
  '/proc',
  '/sys',
  '/run',
  '/var',
  '/root',
  '/home',
  '/tmp',
  '/opt',
  '/mnt',
  '/srv',
];

/** Why nothing can be confined to this folder; undefined when it can. All of a workspace may be read and written. */
export function unfitWorkspace(root: string, home: string): string | undefined {
  if (isWithin(home, root))
    return `the workspace "${root}" holds the home folder, so all of it could be read and changed`;
  const system = SYSTEM.find((folder) => isWithin(folder, root));
  if (system !== undefined) return `the workspace "${root}" holds the system folder "${system}"`;
  if (['/dev', '/proc', '/sys', '/run'].some((folder) => isWithin(root, folder)))
    return `the workspace "${root}" lies among the system's own files`;
  return undefined;
}
