import type { ShellWord } from './words.ts';

/** `posix` is what `sh` may be: the same words can mean something else there. */
export type Dialect = 'bash' | 'posix';

/** What a command runs besides itself. */
export type Inner =
  | { readonly kind: 'command'; readonly words: readonly ShellWord[] }
  | { readonly kind: 'code'; readonly code: string; readonly dialect: Dialect | 'same' }
  | { readonly kind: 'opaque'; readonly why: string };

export function baseName(program: string): string {
  return program.slice(program.lastIndexOf('/') + 1);
}

export function unread(program: string): Inner {
  return { kind: 'opaque', why: `it cannot be told what "${program}" runs` };
}
