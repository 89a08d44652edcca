import type {
  ArithmeticFor,
  Assignment,
  DoubleQuotedPart,
  Function as ShellFunction,
  HereDocBody,
  LocaleStringPart,
  ParameterExpansionPart,
  ParsedScript,
  SyntaxNode,
  TestBinaryExpression,
  TestUnaryExpression,
} from 'unbash';
import { holdsNumber, isPlainArithmetic, type Numbers } from './arithmetic.ts';
import { hasRunningIndex, isComputed, isObeyed, isRunByShell, MEANINGFUL } from './builtins.ts';
import type { Dialect } from './inner.ts';
import { literalOf } from './words.ts';

/** Where a piece of syntax stands. */
export interface Context {
  readonly dialect: Dialect;
  readonly source: string;
  readonly numbers: Numbers;
}

type Quoting = HereDocBody | DoubleQuotedPart | LocaleStringPart;

const RUNNING_INDEX = 'it holds text that runs a command when it is read as a variable';
export const NOT_COUNTING = 'it computes with text that may run a command';
const NOT_PARSED = 'it does not parse';

/** Syntax that `sh` may read as something else, such as `((` as two subshells. */
const NOT_POSIX: ReadonlySet<string> = new Set(
  'AnsiCQuoted ArithmeticCommand ArithmeticFor ArrayValue Coproc HereString LocaleString ProcessSubstitution Select TestCommand'.split(
    ' ',
  ),
);

/** Why it cannot be told what a piece of syntax does, by itself; undefined when it can. */
export function reasonOf(context: Context, node: SyntaxNode): string | undefined {
  if (context.dialect === 'posix' && NOT_POSIX.has(node.type)) return 'it is written for bash and run by sh';
  switch (node.type) {
    case 'Script':
      return ofScript(node);
    case 'CommandExpansion':
    case 'ProcessSubstitution':
      return node.script === undefined ? NOT_PARSED : undefined;
    case 'ExtendedGlob':
      return 'it has a pattern that bash reads only with a setting';
    case 'HereDoc':
      return node.closing === undefined ? 'it has a here-document without an end' : undefined;
    case 'HereDocBody':
    case 'DoubleQuoted':
    case 'LocaleString':
      return ofQuoting(context, node);
    case 'Function':
      return ofFunction(node);
    case 'Assignment':
      return ofAssignment(context, node);
    case 'ArrayValue':
      return node.elements.every(({ text }) => countsIndex(context, text)) ? undefined : NOT_COUNTING;
    case 'For':
    case 'Select':
    case 'Coproc':
      return ofUnseen(node.name?.value ?? '');
    case 'FileDescriptorVariable':
      return ofUnseen(node.name);
    case 'Word':
      // The parser misses that `{a[i]}>x` sets a variable.
      return /^\{[A-Za-z_]\w*\[.*\]\}$/s.test(node.text) ? NOT_COUNTING : undefined;
    default:
      return ofExpression(context, node);
  }
}

/**
 * Inside of quotes a quote in `${x:-'…'}` may be no more than a letter, and what stands between two of them is run. The
 * parser takes them as letters only in double quotes of bash.
 */
function ofQuoting({ dialect }: Context, { type, parts = [] }: Quoting): string | undefined {
  const quote = type === 'DoubleQuoted' && dialect === 'bash' ? "$'" : "'";
  const hides = parts.some((part) => part.type === 'ParameterExpansion' && part.text.includes(quote));
  return hides ? 'it has quotes within quotes that may be read in two ways' : undefined;
}

function ofScript({ errors }: ParsedScript): string | undefined {
  const [error] = errors ?? [];
  return error && `${NOT_PARSED}: ${error.message}`;
}

function ofFunction({ name }: ShellFunction): string | undefined {
  return MEANINGFUL.has(name.value) ? `it gives "${name.value}" another meaning` : undefined;
}

function ofAssignment(context: Context, assignment: Assignment): string | undefined {
  const { name, index, value } = assignment;
  if (isRunByShell(name)) return `the shell itself runs what "${name}" holds`;
  if (index !== undefined && !counts(context, index)) return NOT_COUNTING;
  if (isComputed(name) && !holdsNumber(assignment)) return NOT_COUNTING;
  return value.type === 'Word' && hasRunningIndex(literalOf(value) ?? '') ? RUNNING_INDEX : undefined;
}

/** `[i]=x` among the values of an array computes `i`. */
function countsIndex({ numbers }: Context, element: string): boolean {
  const [, index] = /^\[(.*?)\]\+?=/s.exec(element) ?? [];
  return index === undefined || isPlainArithmetic(index, numbers);
}

/** A variable that is set by something else than an assignment, which rules see. */
function ofUnseen(variable: string): string | undefined {
  if (/\W/.test(variable)) return NOT_COUNTING;
  return isObeyed(variable) || isComputed(variable) ? `it sets "${variable}", which changes what is run` : undefined;
}

function ofExpression(context: Context, node: SyntaxNode): string | undefined {
  switch (node.type) {
    case 'ArithmeticExpansion':
      // The old form `$[…]` is taken as it is: it cannot be told.
      return node.text.startsWith('$((') && counts(context, { pos: node.pos + 3, end: node.end })
        ? undefined
        : NOT_COUNTING;
    case 'ArithmeticCommand':
      return counts(context, node) ? undefined : NOT_COUNTING;
    case 'ArithmeticFor':
      return ofFor(context, node);
    case 'ParameterExpansion':
      return ofParameter(context, node);
    case 'TestUnary':
      return ofTest(node);
    case 'TestBinary':
      return ofComparison(context, node);
    default:
      return undefined;
  }
}

function ofFor(context: Context, { initialize, test, update }: ArithmeticFor): string | undefined {
  return [initialize, test, update].every((part) => part === undefined || counts(context, part))
    ? undefined
    : NOT_COUNTING;
}

function ofParameter(
  context: Context,
  { parameter, prefix, index, operation }: ParameterExpansionPart,
): string | undefined {
  if (prefix === '!' && operation?.type !== 'Names') return 'it reads a variable whose name it computes';
  const slice = operation?.type === 'Slice' ? [operation.offset, operation.length] : [];
  const computed = [index, ...slice].filter((part) => part !== undefined && !WHOLE.has(part.text));
  if (!computed.every((part) => part !== undefined && counts(context, part))) return NOT_COUNTING;
  return ofOperation(operation, parameter);
}

function ofOperation(operation: ParameterExpansionPart['operation'], parameter: string): string | undefined {
  if (operation?.type === 'Default' && operation.operator.endsWith('=')) return ofUnseen(parameter);
  if (operation?.type === 'Transform' && operation.operand.text === 'P') return RUNNING_INDEX;
  return operation?.type === 'Unknown' ? NOT_PARSED : undefined;
}

/** `${a[@]}` is all of an array; nothing is computed. */
const WHOLE: ReadonlySet<string> = new Set(['@', '*']);

function ofTest({ operator, operand }: TestUnaryExpression): string | undefined {
  const named = operator === '-v' || operator === '-R';
  return named && !/^[A-Za-z_]\w*$/.test(operand.text) ? RUNNING_INDEX : undefined;
}

function ofComparison(context: Context, { operator, left, right }: TestBinaryExpression): string | undefined {
  const compares = /^-(?:eq|ne|lt|le|gt|ge)$/.test(operator);
  return compares && !(counts(context, left) && counts(context, right)) ? NOT_COUNTING : undefined;
}

function counts({ source, numbers }: Context, { pos, end }: { readonly pos: number; readonly end: number }): boolean {
  return isPlainArithmetic(source.slice(pos, end), numbers);
}
