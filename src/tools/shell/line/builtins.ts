import type { ShellWord } from './words.ts';

/** Builtins whose words are names of variables; an index in such a name may run a command. */
const NAMERS: ReadonlySet<string> = new Set(
  'read mapfile readarray getopts declare typeset local export readonly unset wait'.split(' '),
);

/** They take a name only after `-v`. */
const COMPARERS: ReadonlySet<string> = new Set(['test', '[']);

/** Options that change what a later word means, or run what they are given. */
const REFUSED: Readonly<Record<string, RegExp>> = {
  alias: /=/,
  bind: /./,
  compgen: /./,
  complete: /./,
  declare: /^-\w*n/,
  enable: /^-\w*f/,
  fc: /./,
  hash: /^-\w*p/,
  local: /^-\w*n/,
  mapfile: /^-\w*C/,
  readarray: /^-\w*C/,
  set: /^-\w*H|^histexpand$/,
  shopt: /^expand_aliases$/,
  typeset: /^-\w*n/,
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

/** Why a call of a builtin may do what cannot be told; undefined when it cannot, or when it is no builtin. */
export function hazardOf(name: string, args: readonly ShellWord[]): string | undefined {
  const refused = Object.hasOwn(REFUSED, name) ? REFUSED[name] : undefined;
  if (refused !== undefined && args.some(({ value }) => value === undefined || refused.test(value)))
    return `"${name}" can change what other words mean`;
  const hazard =
    (NAMERS.has(name) && args.some(hidesName)) ||
    (COMPARERS.has(name) && comparesName(args)) ||
    (name === 'printf' && printsToName(args));
  return hazard ? `"${name}" gets a name that may run a command` : undefined;
}

/** `name=value` is told apart by the parser, and its value is not read again. */
function hidesName({ value, written }: ShellWord): boolean {
  return value === undefined ? !/^[A-Za-z_]\w*\+?=/.test(written) : hasRunningIndex(value);
}

function comparesName(args: readonly ShellWord[]): boolean {
  const at = args.findIndex(({ value }) => value === '-v' || value === '-R');
  return (at >= 0 && args[at + 1]?.value === undefined) || args.some(({ value }) => hasRunningIndex(value ?? ''));
}

function printsToName([first, ...rest]: readonly ShellWord[]): boolean {
  if (first === undefined) return false;
  const { value = '' } = first;
  if (value.startsWith('-v')) return !PLAIN_NAME.test(value === '-v' ? (rest[0]?.value ?? '') : value.slice(2));
  return first.value === undefined && (first.splits || rest.some((word) => hasRunningIndex(word.value ?? '')));
}

const PLAIN_NAME = /^[A-Za-z_]\w*(?:\[\d+\])?$/;

/** An index such as `a[$(rm x)]`, which runs a command when the text is read as the name of a variable. */
export function hasRunningIndex(text: string): boolean {
  return /\[[^\]]*[$`]/s.test(text);
}
