import type { Effect, Touch } from '../../contract/tool-calls.ts';
import { isOutside } from './globs.ts';

/** Commands with any of these may run more than their first word says. */
const SHELL_SYNTAX = /[;&|<>`$(){}\n\r\\!*?[\]~#'"]/u;

/**
 * What a call reaches for, told from its input alone: for calls that an earlier version of the worker looked at, which
 * reported no touches. Undefined when nothing can be told.
 */
export function touchesOfInput(input: unknown, effect: Effect): readonly Touch[] | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  const { command, path } = input as { readonly command?: unknown; readonly path?: unknown };
  if (typeof command === 'string') return touchesOfWords(command.trim());
  if (typeof path !== 'string') return undefined;
  const plain = plainPath(path);
  if (plain === undefined) return [{ kind: 'opaque', why: 'its path cannot be read' }];
  return [{ kind: 'path', path: plain, access: effect === 'read' ? 'read' : 'write' }];
}

function touchesOfWords(command: string): readonly Touch[] {
  if (!SHELL_SYNTAX.test(command)) return [commandOf(command)];
  const pieces = command.split(/[;&|\n(){}`]+/u).map((part) => commandOf(part.trim()));
  return [...pieces, { kind: 'opaque', why: 'it is more than a plain command' }];
}

function commandOf(text: string): Touch {
  return { kind: 'command', text, bare: text.replace(/^(?:[A-Za-z_]\w*=\S*\s+)+/u, '') };
}

/** Without `.` and `..`; one that leads out of the workspace stays as it is. */
function plainPath(path: string): string | undefined {
  if (path.includes('\0')) return undefined;
  if (isOutside(path)) return path;
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return path.startsWith('..') ? path : `../${path}`;
  }
  return parts.join('/');
}
