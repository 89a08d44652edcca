import { forEachChild, type Assignment, type Command, type Script, type SyntaxNode, type Word } from 'unbash';
import { isObeyed } from './builtins.ts';
import { literalOf } from './words.ts';

/**
 * Arithmetic reads the value of a variable as an expression again, and an index in it may run a command:
 * `x='a[$(rm -rf .)]'; echo $((x))`. So a variable may stand there only when the line gives it nothing but numbers.
 */
export interface Numbers {
  /** Variables that hold something else than a number. */
  readonly others: ReadonlySet<string>;
  /** True when it cannot be told which variables are set. */
  readonly unknown: boolean;
}

/** Builtins that set the variables their words name. */
const SETTERS: ReadonlySet<string> = new Set(
  'read mapfile readarray getopts printf declare typeset local export readonly let unset wait'.split(' '),
);

/** Those that may set any. */
const RUNNERS: ReadonlySet<string> = new Set(['eval', 'source', '.', 'trap']);

const NUMBER = /^[-+]?\d+$/;
const RANGE = /^\{-?\d+\.\.-?\d+(?:\.\.-?\d+)?\}$/;
const SEQUENCE = /^\$\(seq(?: -?\d+)+\)$/;

/** What the variables of a script hold, on top of what is known from around it. */
export function numbersOf(script: Script, around: Numbers): Numbers {
  const others = new Set([...around.others, 'REPLY', 'MAPFILE', 'OPTARG', 'BASH_REMATCH', '_']);
  let { unknown } = around;
  const visit = (node: SyntaxNode): void => {
    const set = setBy(node);
    unknown ||= set === undefined;
    for (const name of set ?? []) others.add(name);
    forEachChild(node, visit);
  };
  visit(script);
  return { others, unknown };
}

/** Whether a piece of arithmetic, as written, can do nothing but count. */
export function isPlainArithmetic(source: string, { others, unknown }: Numbers): boolean {
  if (/[[\]`'"\\@]|\$\(|\$\{?[\d*_!-]/.test(source)) return false;
  const names = source.match(/[A-Za-z_]\w*/g) ?? [];
  return names.length === 0 || (!unknown && names.every((name) => !others.has(name) && !isObeyed(name)));
}

export function holdsNumber({ value, index }: Assignment): boolean {
  if (value.type !== 'Word' || index !== undefined) return false;
  const literal = literalOf(value);
  if (literal !== undefined) return NUMBER.test(literal);
  return value.parts?.length === 1 && value.parts[0]?.type === 'ArithmeticExpansion';
}

function isNumbers(word: Word): boolean {
  const literal = literalOf(word);
  return literal === undefined ? RANGE.test(word.text) || SEQUENCE.test(word.text) : NUMBER.test(literal);
}

/** The variables to which a piece of syntax gives something else than a number; undefined when it may be any. */
function setBy(node: SyntaxNode): readonly string[] | undefined {
  switch (node.type) {
    case 'Assignment':
      return holdsNumber(node) ? [] : [node.name];
    case 'For':
    case 'Select':
      return node.wordlist?.every(isNumbers) === true ? [] : [node.name.value];
    case 'ParameterExpansion':
      return node.operation?.type === 'Default' ? [node.parameter] : [];
    case 'Command':
      return setByCommand(node);
    default:
      return [];
  }
}

function setByCommand({ name, args }: Command): readonly string[] | undefined {
  const program = name === undefined ? undefined : literalOf(name);
  if (program === undefined) return name === undefined ? [] : undefined;
  if (RUNNERS.has(program)) return undefined;
  if (!SETTERS.has(program)) return args.flatMap(setAsWord);
  const words = args.filter((word) => word.type === 'Word').map(literalOf);
  if (words.some((word) => word === undefined)) return undefined;
  return words.flatMap((word) => /^[A-Za-z_]\w*/.exec(word ?? '')?.[0] ?? []);
}

/** What a word such as the `x=1` of `env x=1 …` sets for the command behind it. */
function setAsWord({ type, text }: Command['args'][number]): readonly string[] {
  return type === 'Word' ? (/^["']?([A-Za-z_]\w*)=/.exec(text)?.slice(1) ?? []) : [];
}
