import type { HereDoc, HereString, Redirection } from 'unbash';
import { unread, type Inner } from './inner.ts';
import { literalOf, type ShellWord } from './words.ts';

/** The shells whose language is read here. */
const SHELLS: ReadonlyMap<string, 'bash' | 'posix'> = new Map([
  ['bash', 'bash'],
  ['sh', 'posix'],
  ['dash', 'posix'],
  ['ash', 'posix'],
]);

/** Options that only change how the code is run, not what it means. `-l` reads the user's own profile. */
const LONG = /^--(?:norc|noprofile|login|verbose|posix)$/;
const SHORT = /^-[efhluvxTEB]*c?[efhluvxTEB]*$/;
const NAMED = /^[-+][efuvx]*o$/;
const MODES: ReadonlySet<string | undefined> = new Set([
  'pipefail',
  'errexit',
  'nounset',
  'xtrace',
  'verbose',
  'noglob',
]);

/** Scripts that are read from what is fed to the shell. */
const FED = /^(?:-|\/dev\/stdin|\/dev\/fd\/.*|\/proc\/.*\/fd\/.*)$/s;

/** What shells, and builtins that run text, run. */
export function shellRuns(program: string, args: readonly ShellWord[]): readonly Inner[] {
  if (program === 'eval') return [evaluated(args)];
  if (program === 'trap') return trapped(args);
  if (program === 'source' || program === '.') return sourced(program, args);
  const dialect = SHELLS.get(program);
  return dialect === undefined ? [] : started(program, dialect, args);
}

function evaluated(args: readonly ShellWord[]): Inner {
  const values = args.map(({ value }) => value);
  if (!values.every((value) => value !== undefined)) return unread('eval');
  return { kind: 'code', code: values.join(' '), dialect: 'same' };
}

function trapped(args: readonly ShellWord[]): readonly Inner[] {
  const [action] = args.filter(({ value }) => value !== '--');
  if (action === undefined || action.value === '-' || action.value === '-p' || action.value === '-l') return [];
  return action.value === undefined ? [unread('trap')] : [{ kind: 'code', code: action.value, dialect: 'same' }];
}

/** A file is a program like any other: the rule that allows it names it. */
function sourced(program: string, args: readonly ShellWord[]): readonly Inner[] {
  const [file] = args.filter(({ value }) => value !== '--');
  return file?.value === undefined || FED.test(file.value) ? [unread(program)] : [];
}

function started(program: string, dialect: 'bash' | 'posix', args: readonly ShellWord[]): readonly Inner[] {
  if (args.length === 1 && /^--(?:version|help)$/.test(args[0]?.value ?? '')) return [];
  const at = afterOptions(args);
  if (at === undefined) return [unread(program)];
  const code = args.slice(0, at).some(({ value }) => /^-\w*c/.test(value ?? ''));
  return operandOf({ program, dialect, code }, args[at]);
}

/** The position of the script or the code; undefined when an option cannot be read. */
function afterOptions(args: readonly ShellWord[]): number | undefined {
  let at = 0;
  for (let value = args[at]?.value; value !== undefined; value = args[at]?.value) {
    if (value === '--') return at + 1;
    if (!/^[-+]./.test(value)) return at;
    const length = optionLength(value, args[at + 1]);
    if (length === undefined) return undefined;
    at += length;
  }
  return undefined;
}

function optionLength(option: string, next: ShellWord | undefined): number | undefined {
  if (LONG.test(option) || SHORT.test(option)) return 1;
  return NAMED.test(option) && MODES.has(next?.value) ? 2 : undefined;
}

interface Started {
  readonly program: string;
  readonly dialect: 'bash' | 'posix';
  readonly code: boolean;
}

function operandOf({ program, dialect, code }: Started, operand: ShellWord | undefined): readonly Inner[] {
  if (operand?.value === undefined) return [unread(program)];
  if (code) return [{ kind: 'code', code: operand.value, dialect }];
  return FED.test(operand.value) ? [unread(program)] : [];
}

/** A shell without a script or code, which runs what it is fed. */
export function isOnlyFed(program: string, args: readonly ShellWord[]): boolean {
  return SHELLS.has(program) && args.every(({ value = '' }) => value === '-s' || LONG.test(value) || FLAGS.test(value));
}

const FLAGS = /^-[efuvx]+$/;

/** The code that a here-document or here-string feeds to a shell; undefined when it is not the whole input. */
export function feedOf(program: string, redirects: readonly Redirection[]): Inner | undefined {
  const [feed, ...others] = redirects.filter(({ type, operator }) => type !== 'Redirect' || operator.startsWith('<'));
  if (feed === undefined || others.length > 0 || feed.descriptor !== undefined) return undefined;
  const code = feed.type === 'HereDoc' ? bodyOf(feed) : feed.type === 'HereString' ? stringOf(feed) : undefined;
  return code === undefined ? undefined : { kind: 'code', code, dialect: SHELLS.get(program) ?? 'posix' };
}

function stringOf({ target }: HereString): string | undefined {
  return target === undefined ? undefined : literalOf(target);
}

function bodyOf({ delimiter, body }: HereDoc): string | undefined {
  if (delimiter?.quoted === true) return body.text;
  const plain = body.parts?.every(({ type }) => type === 'Literal') ?? true;
  return plain && !body.text.includes('\\') ? body.text : undefined;
}
