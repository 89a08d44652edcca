import { forEachChild, parse, type AndOr, type Command, type Redirection, type SyntaxNode, type Word } from 'unbash';
import type { Touch } from '../../../contract/tool-calls.ts';
import { isPlainArithmetic, numbersOf, type Numbers } from './arithmetic.ts';
import { hazardOf, MEANINGFUL } from './builtins.ts';
import { afterCd, touchesOfFile, type Folders } from './folders.ts';
import { baseName, type Dialect, type Inner } from './inner.ts';
import { NOT_COUNTING, reasonOf, type Context } from './reasons.ts';
import { feedOf, isOnlyFed } from './shells.ts';
import { literalOf, shownWords, wordOf, type ShellWord } from './words.ts';
import { innerOf } from './wrappers.ts';

/** Code inside of code inside of code. */
const DEPTH_MAX = 8;

/** One reading of a line: what was found so far, and where the part that is read now would run. */
export interface Reading {
  readonly add: (touch: Touch) => void;
  folders: Folders;
}

interface Scope extends Context {
  readonly reading: Reading;
  readonly depth: number;
  /** A command that changes the folder stands somewhere, so loops and functions may run in another one than it seems. */
  readonly moves: boolean;
}

interface Code {
  readonly code: string;
  readonly dialect: Dialect;
  readonly numbers: Numbers;
  readonly depth: number;
}

/** Reads shell code and everything in it. What cannot be told becomes an opaque touch, never nothing. */
export function readCode(reading: Reading, { code, dialect, numbers, depth }: Code): void {
  if (depth > DEPTH_MAX) return unclear(reading, 'it is nested too deeply');
  const script = parse(code);
  const moves = /cd|pushd|popd|eval|source|\n\s*\.|;\s*\./.test(code);
  visit({ reading, dialect, depth, moves, source: code, numbers: numbersOf(script, numbers) }, script);
}

function unclear(reading: Reading, why: string): void {
  reading.add({ kind: 'opaque', why });
}

function visit(scope: Scope, node: SyntaxNode): void {
  if (node.type === 'Command') return visitCommand(scope, node, false);
  if (node.type === 'AndOr') return visitAndOr(scope, node);
  const why = reasonOf(scope, node);
  if (why !== undefined) unclear(scope.reading, why);
  if (REPEATED.has(node.type) && scope.moves) scope.reading.folders = null;
  const inner = node.type === 'Script' && node.source !== undefined ? { ...scope, source: node.source } : scope;
  forEachChild(node, (child) => visit(inner, child));
  if (node.type === 'Redirected') for (const redirect of node.redirects) visitRedirect(scope, redirect);
}

/** Parts that may run more than once, or elsewhere in the line. */
const REPEATED: ReadonlySet<string> = new Set(['For', 'While', 'Select', 'ArithmeticFor', 'Function', 'Coproc']);

/** Behind `cd x &&` the folder is certain; behind the whole chain it may have stayed as well. */
function visitAndOr(scope: Scope, { commands, operators }: AndOr): void {
  const before = scope.reading.folders;
  for (const [index, command] of commands.entries()) {
    const certain = operators.slice(0, index + 1).every((operator) => operator === '&&') && index < operators.length;
    if (command.type === 'Command') visitCommand(scope, command, certain);
    else visit(scope, command);
  }
  const after = scope.reading.folders;
  scope.reading.folders = before === null || after === null ? null : [...new Set([...before, ...after])];
}

function visitCommand(scope: Scope, command: Command, certain: boolean): void {
  const { reading } = scope;
  forEachChild(command, (child) => visit(scope, child));
  for (const redirect of command.redirects) visitRedirect(scope, redirect);
  const assigned = command.prefix.filter((part) => part.type === 'Assignment').map(wordOf);
  const words = [...(command.name === undefined ? [] : [command.name]), ...command.args].map(wordOf);
  if (words.length > 0) return simple(scope, { words, assigned, certain, redirects: command.redirects });
  if (assigned.length > 0) reading.add({ kind: 'command', text: shownWords(assigned), bare: '' });
}

interface Simple {
  readonly words: readonly ShellWord[];
  readonly assigned: readonly ShellWord[];
  readonly certain: boolean;
  readonly redirects: readonly Redirection[];
}

function simple(scope: Scope, { words, assigned, certain, redirects }: Simple): void {
  const { reading } = scope;
  const [name, ...args] = words;
  const program = name?.value;
  reading.add({ kind: 'command', text: shownWords([...assigned, ...words]), bare: shownWords(words) });
  if (name === undefined || program === undefined || !/^\S+$/.test(program))
    return unclear(reading, 'it runs a program whose name the shell makes');
  if (MEANINGFUL.has(program) && name.written !== program) unclear(reading, `it hides the name of "${program}"`);
  const hazard = program === 'let' ? computed(scope, args) : hazardOf(program, args);
  if (hazard !== undefined) unclear(reading, hazard);
  move(scope, { program, args, certain });
  for (const part of runsOf(words, redirects)) visitInner(scope, part);
}

function runsOf(words: readonly ShellWord[], redirects: readonly Redirection[]): readonly Inner[] {
  const [name, ...args] = words;
  const shell = baseName(name?.value ?? '');
  const fed = isOnlyFed(shell, args) ? feedOf(shell, redirects) : undefined;
  return fed === undefined ? innerOf(words) : [fed];
}

function computed({ numbers }: Scope, args: readonly ShellWord[]): string | undefined {
  const plain = args.every(({ value }) => value !== undefined && isPlainArithmetic(value, numbers));
  return plain ? undefined : NOT_COUNTING;
}

function move(
  { reading }: Scope,
  { program, args, certain }: { program: string; args: readonly ShellWord[]; certain: boolean },
): void {
  if (program === 'cd') reading.folders = afterCd(reading.folders, { args, certain });
  else if (['pushd', 'popd', 'source', '.'].includes(program)) reading.folders = null;
}

function visitInner(scope: Scope, inner: Inner): void {
  const { reading, dialect, numbers, depth } = scope;
  if (inner.kind === 'opaque') return unclear(reading, inner.why);
  if (depth >= DEPTH_MAX) return unclear(reading, 'it is nested too deeply');
  if (inner.kind === 'command') {
    const { words } = inner;
    return simple({ ...scope, depth: depth + 1 }, { words, assigned: [], certain: false, redirects: [] });
  }
  readCode(reading, {
    code: inner.code,
    dialect: inner.dialect === 'same' ? dialect : inner.dialect,
    numbers,
    depth: depth + 1,
  });
}

function visitRedirect({ reading }: Scope, redirect: Redirection): void {
  if (redirect.type !== 'Redirect') return;
  const { operator, target } = redirect;
  if (target === undefined) return;
  if (operator.endsWith('&') && isDescriptor(target)) return;
  const file = { value: globs(target) ? undefined : literalOf(target), written: target.text };
  const access = operator === '<' || operator === '<&' ? 'read' : 'write';
  for (const touch of touchesOfFile(file, access, reading.folders)) reading.add(touch);
}

function isDescriptor(target: Word): boolean {
  return /^\d*-?$/.test(target.text);
}

function globs({ parts }: Word): boolean {
  return parts?.some(({ type }) => type === 'Glob') ?? false;
}
