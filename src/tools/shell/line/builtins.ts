import type { ShellWord } from './words.ts';

/** Builtins whose words are names of variables; an index in such a name may run a command. */
const NAMERS: ReadonlySet<string> = new Set(
  'read mapfile readarray getopts declare typeset local export readonly unset wait'.split(' '),
);

/** Those that give the variables they name a value of their own, or take theirs away. */
const FILLERS: ReadonlySet<string> = new Set('read mapfile readarray getopts unset wait'.split(' '));

/** They take a name only after `-v`. */
const COMPARERS: ReadonlySet<string> = new Set(['test', '[']);

/** Options that change what a later word means, or run what they are given. */
const REFUSED: Readonly<Record<string, RegExp>> = {
  alias: /=/,
  bind: /./,
  compgen: /./,
  complete: /./,
  declare: /^-\w*[in]/,
  enable: /^-\w*f/,
  fc: /./,
  hash: /^-\w*p/,
  local: /^-\w*[in]/,
  mapfile: /^-\w*C/,
  readarray: /^-\w*C/,
  set: /^-\w*[aH]|^(?:allexport|histexpand)$/,
  shopt: /^expand_aliases$/,
  typeset: /^-\w*[in]/,
};

/**
 * Names that have a meaning here. A function of such a name would make the line mean something else than is read, and
 * so would a spelling that hides it.
 */
export const MEANINGFUL: ReadonlySet<string> = new Set([
  ...NAMERS,
  ...COMPARERS,
  ...Object.keys(REFUSED),
  ...'cd pushd popd eval source . trap let printf exec command builtin env find xargs busybox bash sh dash'.split(' '),
]);

/** Variables whose value the shell itself runs, or that change what it reads. */
const RUN_BY_SHELL =
  /^(?:BASH_ENV|ENV|PS[0-4]|PROMPT_COMMAND|SHELLOPTS|BASHOPTS|BASH_ALIASES|BASH_CMDS|BASH_FUNC_.*)$/s;

export function isRunByShell(variable: string): boolean {
  return RUN_BY_SHELL.test(variable);
}

/** Variables of the environment of a call, and of the shell, by which other programs or files are found. */
const OBEYED = /^(?:PATH|HOME|SHELL|USER|LANG|LC_\w+|TERM|TMPDIR|CDPATH|GLOBIGNORE|EXECIGNORE|NIGHTSHIFT_\w+|BASH\w*)$/;

/**
 * Whether a variable changes what later commands do. Set before a command it is part of what is judged; a loop, a piece
 * of arithmetic or `read` sets it unseen.
 */
export function isObeyed(variable: string): boolean {
  return isRunByShell(variable) || OBEYED.test(variable);
}

/** Variables whose value the shell computes, as an expression that may run a command. */
export function isComputed(variable: string): boolean {
  return /^(?:S?RANDOM|SECONDS|LINENO|HISTCMD|OPTIND|BASHPID)$/.test(variable);
}

/** Why a call of a builtin may do what cannot be told; undefined when it cannot, or when it is no builtin. */
export function hazardOf(name: string, args: readonly ShellWord[]): string | undefined {
  const refused = Object.hasOwn(REFUSED, name) ? REFUSED[name] : undefined;
  if (refused !== undefined && args.some(({ value }) => value === undefined || refused.test(value)))
    return `"${name}" can change what other words mean`;
  const hazard =
    (NAMERS.has(name) && args.some((word) => hidesName(word) || (FILLERS.has(name) && fillsObeyed(word)))) ||
    (COMPARERS.has(name) && comparesName(args)) ||
    (name === 'printf' && printsToName(args));
  return hazard ? `"${name}" gets a name that may run a command` : undefined;
}

/** `name=value` is told apart by the parser, and its value is not read again unless it is text in the form of an array. */
function hidesName({ value, written }: ShellWord): boolean {
  if (value === undefined) return !/^[A-Za-z_]\w*\+?=(?!["'$\\]*["'\\]\()/.test(written);
  if (/^[A-Za-z_]\w*\+?=\(/.test(value) || hasRunningIndex(value) || hasIndex(value)) return true;
  return isRunByShell(variableIn(value));
}

/** `a[i]`: what `i` holds is computed when the text is read as the name of a variable. */
function hasIndex(text: string): boolean {
  return /^[A-Za-z_]\w*\[(?!\d+\])/.test(text);
}

function fillsObeyed({ value = '' }: Pick<ShellWord, 'value'>): boolean {
  const variable = variableIn(value);
  return isObeyed(variable) || isComputed(variable);
}

/** The variable that a word names, as in `PATH`, `-aPATH`, `PATH[0]` and `PATH=x`; empty when it names none. */
function variableIn(word: string): string {
  return /^(?:-[a-z]+)?([A-Za-z_]\w*)(?:$|\[|\+?=)/.exec(word)?.[1] ?? '';
}

function comparesName(args: readonly ShellWord[]): boolean {
  const named = args.filter((_, index) => ['-v', '-R'].includes(args[index - 1]?.value ?? ''));
  return (
    named.some(({ value }) => value === undefined || hasIndex(value)) ||
    args.some(({ value }) => hasRunningIndex(value ?? ''))
  );
}

function printsToName([first, ...rest]: readonly ShellWord[]): boolean {
  if (first === undefined) return false;
  const { value = '' } = first;
  if (value.startsWith('-v')) {
    const variable = value === '-v' ? (rest[0]?.value ?? '') : value.slice(2);
    return !PLAIN_NAME.test(variable) || fillsObeyed({ value: variable });
  }
  return first.value === undefined && (first.splits || rest.some((word) => hasRunningIndex(word.value ?? '')));
}

const PLAIN_NAME = /^[A-Za-z_]\w*(?:\[\d+\])?$/;

/** An index such as `a[$(rm x)]`, which runs a command when the text is read as the name of a variable. */
export function hasRunningIndex(text: string): boolean {
  return /\[[^\]]*[$`]/s.test(text);
}
