import type { Touch } from '../../../contract/tool-calls.ts';
import type { ShellWord } from './words.ts';

/** The folders a part of the line may run in, from the workspace; null when that cannot be told. */
export type Folders = readonly string[] | null;

export interface Target {
  /** Undefined when it is made by the shell. */
  readonly value: string | undefined;
  readonly written: string;
}

const FOLDERS_MAX = 4;

/** Files that are no files: descriptors of the process, and what swallows or makes bytes. */
const DEVICE = /^\/dev\/(?:null|zero|full|u?random|tty|std(?:in|out|err)|fd\/\d+)$/;

/** Bash opens a connection for these. */
const SOCKET = /^\/dev\/(?:tcp|udp)\/([^/]+)\/[^/]+$/;

/** Where the line may be after `cd`. When it is not certain that `cd` came to be run and went well, both count. */
export function afterCd(
  folders: Folders,
  { args, certain }: { readonly args: readonly ShellWord[]; readonly certain: boolean },
): Folders {
  const [to, ...others] = args.filter(({ value }) => !/^-[LPe@]+$|^--$/.test(value ?? ''));
  if (folders === null || others.length > 0 || !isFolder(to)) return null;
  const reached = folders.map((folder) => joined(folder, to.value));
  if (!reached.every((folder) => folder !== undefined)) return null;
  const all = [...new Set(certain ? reached : [...folders, ...reached])];
  return all.length > FOLDERS_MAX ? null : all;
}

/** Neither `-`, which is the folder before, nor one of a home. */
function isFolder(word: ShellWord | undefined): word is ShellWord & { readonly value: string } {
  return word?.value !== undefined && /^[^-]/.test(word.value) && !word.written.startsWith('~');
}

/** What opening a file by redirection reaches for. */
export function touchesOfFile(target: Target, access: 'read' | 'write', folders: Folders): readonly Touch[] {
  const { value, written } = target;
  if (value === undefined || value === '') return [opaque('it cannot be told which file it redirects to')];
  if (written.startsWith('~')) return [opaque(`it redirects to a file in a home folder`)];
  if (DEVICE.test(value)) return [];
  const host = SOCKET.exec(value)?.[1];
  if (host !== undefined) return [{ kind: 'domain', host: host.toLowerCase() }];
  if (!value.startsWith('/') && folders === null)
    return [opaque('it redirects to a file in a folder that cannot be told')];
  return (folders ?? ['']).map((folder) => {
    const path = joined(folder, value);
    return path === undefined
      ? opaque('it redirects to a path with ".." behind a folder')
      : { kind: 'path', path, access };
  });
}

/** Undefined when `..` stands behind a folder: were that a link, the path would lead elsewhere than it reads. */
function joined(folder: string, path: string): string | undefined {
  const absolute = path.startsWith('/');
  const whole = absolute || folder === '' ? path : `${folder}/${path}`;
  const parts = whole.split('/').filter((part) => part !== '' && part !== '.');
  const climbs = parts.lastIndexOf('..');
  if (climbs >= 0 && (whole.startsWith('/') || parts.slice(0, climbs).some((part) => part !== '..'))) return undefined;
  return `${whole.startsWith('/') ? '/' : ''}${parts.join('/')}`;
}

function opaque(why: string): Touch {
  return { kind: 'opaque', why };
}
