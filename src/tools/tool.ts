import * as z from 'zod';
import type { Effect, ToolErrorKind } from '../contract/tool-calls.ts';
import type { Workspace } from './workspace.ts';

/** What a tool is given besides its input. */
export interface ToolContext {
  readonly workspace: Workspace;
  /** Fires on cancel and on timeout. A tool that gives up because of it rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** Stable across retries, unique among all calls; also the marker that the processes of the call carry. */
  readonly key: string;
  /** Takes output as it comes, for people who watch. */
  readonly live: (text: string) => void;
  /** False when the policy's grant does not cover this real, workspace-relative path; asked before any write. */
  readonly permits: (path: string) => boolean;
  /** Id of this incarnation of the worker; put into the environment of all processes. */
  readonly worker: string;
}

export interface ToolOutput {
  /** What the model reads. */
  readonly text: string;
  readonly isError?: boolean;
  readonly error?: ToolErrorKind;
}

export interface Tool<Input = unknown> {
  readonly name: string;
  /** For the model. */
  readonly description: string;
  readonly input: z.ZodType<Input>;
  readonly effect: Effect;
  /** Milliseconds one attempt may take. */
  readonly timeoutMs: number;
  /** A short read that may run beside the workflow. */
  readonly local: boolean;
  /** Where the tool comes from, for the message about two tools of one name; ours say nothing. */
  readonly origin?: string;
  /** What the call does, in one line for people. It shows the input itself, never the model's words about it. */
  readonly summarize: (input: Input) => string;
  readonly run: (input: Input, context: ToolContext) => Promise<ToolOutput>;
}

/** A failure that the model can act on. It becomes the result of the call. */
export class ToolError extends Error {
  readonly kind: ToolErrorKind;

  constructor(kind: ToolErrorKind, message: string) {
    super(message);
    this.name = 'ToolError';
    this.kind = kind;
  }
}

/**
 * Makes a tool whose `run` and `summarize` accept anything and check it first, so that no tool checks by hand
 * and all tools fit one list. Input that does not fit throws a `ToolError` of kind `invalid_params`.
 */
export function defineTool<Input>(tool: Tool<Input>): Tool {
  return {
    ...tool,
    summarize: (input) => tool.summarize(parseInput(tool, input)),
    run: async (input, context) => await tool.run(parseInput(tool, input), context),
  };
}

function parseInput<Input>(tool: Tool<Input>, input: unknown): Input {
  const parsed = tool.input.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new ToolError('invalid_params', `Cannot run "${tool.name}": ${z.prettifyError(parsed.error)}`);
}
