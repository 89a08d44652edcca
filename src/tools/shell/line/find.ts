import type { Inner } from './inner.ts';
import { UNKNOWN_WORDS, type ShellWord } from './words.ts';

const RUNS: ReadonlySet<string | undefined> = new Set(['-exec', '-execdir', '-ok', '-okdir']);
const ENDS: ReadonlySet<string | undefined> = new Set([';', '+']);

const UNREAD: Inner = { kind: 'opaque', why: 'it cannot be told what "find" runs' };

/** The commands of `find`'s actions. */
export function findRuns(args: readonly ShellWord[]): readonly Inner[] {
  const found: Inner[] = [];
  const rest: ShellWord[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at];
    if (word === undefined) break;
    if (!RUNS.has(word.value)) {
      rest.push(word);
      continue;
    }
    const end = args.findIndex((_, index) => index > at && isEnd(args, index));
    const words = args.slice(at + 1, end);
    if (end < 0) return [...found, UNREAD];
    found.push(runBy(words), ...(mayEndEarlier(words) ? [UNREAD] : []));
    at = end;
  }
  return mayHideAction(rest) ? [...found, UNREAD] : found;
}

/** A plus is a word like any other but behind the braces. */
function isEnd(args: readonly ShellWord[], at: number): boolean {
  return args[at]?.value === ';' || (args[at]?.value === '+' && args[at - 1]?.value === '{}');
}

/** Words that the shell makes may be `;` and the next action. */
function mayEndEarlier(words: readonly ShellWord[]): boolean {
  const made = words.filter(isMade);
  return made.length > 1 || made.some(({ splits }) => splits);
}

/** The name of a file stands for `{}`; in a name or in code it could be anything. */
function runBy(words: readonly ShellWord[]): Inner {
  const [name, ...args] = words;
  const isShell = /(?:^|\/)(?:ba|da|z|k)?sh$/.test(name?.value ?? '');
  const filled = isShell && args.some(({ value }) => value === undefined || /[^]\{\}|\{\}[^]/.test(value));
  if (name === undefined || name.shown.includes('{}') || filled) return UNREAD;
  return { kind: 'command', words: words.map((word) => (word.value === '{}' ? UNKNOWN_WORDS : word)) };
}

/** A word that the shell makes may be `-exec`, when what else an action needs stands there too or may be made. */
function mayHideAction(words: readonly ShellWord[]): boolean {
  const made = words.filter(isMade);
  const ended = words.some(({ value }) => ENDS.has(value));
  return made.some(({ splits }) => splits) || made.length > 2 || (made.length > 0 && ended);
}

function isMade({ value, written }: ShellWord): boolean {
  return value === undefined && /[$`]/.test(written);
}
