import type { Touch } from '../../contract/tool-calls.ts';
import type { Dialect } from './line/inner.ts';
import { readCode, type Reading } from './line/walk.ts';

/** Touches of one line that are judged; a line with more is judged as a whole, by a person. */
const TOUCHES_MAX = 50;

/** Characters of one command, and of all of them, that are put before the policy. */
const TEXT_CHARACTERS_MAX = 8_000;
const TEXTS_CHARACTERS_MAX = 32_000;

/** What shells, parsers and people may read differently: control characters, and blanks that are none to the shell. */
const DECEPTIVE =
  /(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]|(?! )\p{Zs}/u;

const NOTHING_KNOWN = { others: new Set<string>(), unknown: false };

/**
 * What a shell line reaches for: a touch for every simple command in it, wherever it stands, and for every file it is
 * redirected to. What cannot be told is an opaque touch with its reason, so that nothing passes because it was not
 * understood.
 */
export function touchesOfShell(command: string, dialect: Dialect = 'bash'): readonly Touch[] {
  const touches = new Map<string, Touch>();
  let more: string | undefined;
  let characters = 0;
  const add = (touch: Touch): void => {
    const key = JSON.stringify(touch);
    if (touches.has(key) || more !== undefined) return;
    characters += key.length;
    if (key.length > TEXT_CHARACTERS_MAX) more = 'it has a part too long to be judged';
    else if (characters > TEXTS_CHARACTERS_MAX) more = 'it is too long to be judged';
    else if (touches.size === TOUCHES_MAX) more = `it has more than ${TOUCHES_MAX} parts`;
    else touches.set(key, touch);
  };
  if (DECEPTIVE.test(command)) add({ kind: 'opaque', why: 'it holds characters that can deceive' });
  read({ add, folders: [''] }, command, dialect);
  if (touches.size === 0 && more === undefined && !isBlank(command)) more = 'nothing in it can be judged';
  return [...touches.values(), ...(more === undefined ? [] : [{ kind: 'opaque', why: more } as const])];
}

function read(reading: Reading, code: string, dialect: Dialect): void {
  try {
    readCode(reading, { code, dialect, numbers: NOTHING_KNOWN, depth: 0 });
  } catch {
    reading.add({ kind: 'opaque', why: 'it does not parse' });
  }
}

/** Nothing but blanks and comments. */
function isBlank(command: string): boolean {
  return command.split('\n').every((line) => /^[ \t]*(?:#.*)?$/.test(line));
}
