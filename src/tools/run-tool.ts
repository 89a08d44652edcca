import { QUESTION_BYTES_MAX, RESULT_BYTES_MAX } from '../contract/limits.ts';
import type { ToolCallResult, ToolErrorKind, ToolQuestion } from '../contract/tool-calls.ts';
import { clip } from './clip.ts';
import { oneLine } from './one-line.ts';
import { ToolError, type Probed, type Tool, type ToolContext, type ToolOutput } from './tool.ts';

/** How long a tool may take to give up once it is told to. */
const GIVE_UP_MS = 10_000;

/** One UTF-16 unit takes at most six bytes of JSON (`\u0000`); 1 KiB is left for the rest of the result. */
const CONTENT_CHARACTERS_SAFE = Math.floor((RESULT_BYTES_MAX - 1_024) / 6);

const MESSAGE_CHARACTERS_MAX = 2_000;

export interface Request {
  readonly name: string;
  readonly input: unknown;
  /** Throws a `ToolError` when there is no such tool. */
  readonly find: (name: string) => Tool;
}

/** What came of a call: its end, or what its tool asks; and whether it may work when it is tried again. */
export type Ran =
  | { readonly kind: 'ended'; readonly result: ToolCallResult; readonly passing: boolean }
  | { readonly kind: 'asks'; readonly question: ToolQuestion; readonly durationMs: number };

/** Runs a call and turns every ending into a result, except a cancellation, which rejects with the signal's reason. */
export async function runTool({ name, input, find }: Request, context: ToolContext): Promise<Ran> {
  const started = performance.now();
  const { question, passing, ...output } = await settle({ name, input, find }, context);
  const durationMs = Math.round(performance.now() - started);
  if (question === undefined)
    return { kind: 'ended', result: fitted(resultOf(output, durationMs)), passing: passing === true };
  const bytes = jsonBytes(question);
  if (bytes <= QUESTION_BYTES_MAX) return { kind: 'asks', question, durationMs };
  const why = `Cannot ask what "${name}" wants to know: it has ${bytes} bytes, more than ${QUESTION_BYTES_MAX}`;
  return { kind: 'ended', result: resultOf(failed('execution_failed', why), durationMs), passing: false };
}

/** The result that a tool's output is worth. */
export function resultOf(output: ToolOutput, durationMs: number): ToolCallResult {
  const { text, isError = false, error = 'execution_failed' } = output;
  if (!isError) return { status: 'success', content: text, durationMs };
  return { status: error === 'outcome_unknown' ? 'unknown' : 'error', content: text, durationMs, error };
}

/** Cut so that it fits what history keeps of one call. */
export function fitted(result: ToolCallResult): ToolCallResult {
  if (jsonBytes(result) <= RESULT_BYTES_MAX) return result;
  return { ...result, content: clip(result.content, CONTENT_CHARACTERS_SAFE) };
}

/** A probe that fails has found out nothing. */
export async function probeTool(tool: Tool, input: unknown, context: ToolContext): Promise<Probed> {
  if (tool.probe === undefined) return { kind: 'unknown' };
  try {
    return await Promise.race([tool.probe(input, context), tooLate()]);
  } catch {
    return { kind: 'unknown' };
  }
}

async function tooLate(): Promise<Probed> {
  await new Promise<void>((resolve) => setTimeout(resolve, GIVE_UP_MS).unref());
  return { kind: 'unknown' };
}

type Settled = ToolOutput & { readonly passing?: boolean };

async function settle({ name, input, find }: Request, context: ToolContext): Promise<Settled> {
  const { signal } = context;
  signal.throwIfAborted();
  try {
    return await withTimeout(find(name), input, context);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ToolError) return { ...failed(error.kind, error.message), passing: error.passing };
    return failed(
      'unhandled_exception',
      oneLine(error instanceof Error ? error.message : String(error), MESSAGE_CHARACTERS_MAX),
    );
  }
}

async function withTimeout(tool: Tool, input: unknown, context: ToolContext): Promise<ToolOutput> {
  const timeout = new AbortController();
  const reason = new ToolError('timeout', `Cannot finish "${tool.name}": it takes longer than ${tool.timeoutMs} ms`);
  const timer = setTimeout(() => timeout.abort(reason), tool.timeoutMs);
  const signal = AbortSignal.any([context.signal, timeout.signal]);
  try {
    return await Promise.race([tool.run(input, { ...context, signal }), givenUp(signal, tool)]);
  } catch (error) {
    // However a tool words its giving up, the reason is the timeout.
    throw timeout.signal.aborted && !(error instanceof ToolError) ? reason : error;
  } finally {
    clearTimeout(timer);
  }
}

/** Rejects when a tool goes on although it was told to stop; the step must not hang with it. */
async function givenUp(signal: AbortSignal, tool: Tool): Promise<never> {
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  await new Promise<void>((resolve) => setTimeout(resolve, GIVE_UP_MS).unref());
  throw new ToolError(
    'timeout',
    `Cannot stop "${tool.name}": it was told to ${GIVE_UP_MS} ms ago and may still be working`,
  );
}

function failed(error: ToolErrorKind, message: string): ToolOutput {
  return { text: `${error}: ${message}`, isError: true, error };
}

/** Bytes of UTF-8 JSON. */
function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
