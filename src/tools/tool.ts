import * as z from 'zod';
import type { ToolDefinition } from '../contract/spec.ts';
import type { Effect, ToolAnswer, ToolErrorKind, ToolQuestion, Touch } from '../contract/tool-calls.ts';
import type { Workspace } from './files/workspace.ts';

/** What a tool may look at before anything is decided about a call. Nothing may change by looking. */
export interface LookContext {
  readonly workspace: Workspace;
  /** Name of the agent, for what belongs to it. */
  readonly agent: string;
}

/** What a tool is given besides its input. */
export interface ToolContext extends LookContext {
  /** Fires on cancel and on timeout. A tool that gives up because of it rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** Stable across retries, unique among all calls; also the marker that the processes of the call carry. */
  readonly key: string;
  /** Takes output as it comes, for people who watch. */
  readonly live: (text: string) => void;
  /** False when the policy's grant does not cover this real, workspace-relative path; asked before any write. */
  readonly permits: (path: string) => boolean;
  /** False for a real, workspace-relative path that the policy denies; searches leave such files out. */
  readonly mayRead: (path: string) => boolean;
  /** False for a host that the policy does not let the call go on to, when the one it was decided about leads there. */
  readonly mayReach: (host: string) => boolean;
  /** Id of this incarnation of the worker; put into the environment of all processes. */
  readonly worker: string;
  /** A person allowed this call to run unconfined; without it, what cannot be confined must not start. */
  readonly unconfined: boolean;
  /** What people said to the questions this call asked before, in order. */
  readonly answers: readonly ToolAnswer[];
  /** All tools of the run, those included that the model has not been shown. */
  readonly definitions: readonly ToolDefinition[];
}

export interface ToolOutput {
  /** What the model reads. */
  readonly text: string;
  readonly isError?: boolean;
  readonly error?: ToolErrorKind;
  /** Set instead of an end: a person is asked, and the call is made again with the answer. */
  readonly question?: ToolQuestion;
}

/** What a probe found out about a call whose worker was lost. */
export type Probed =
  | { readonly kind: 'happened'; readonly output: ToolOutput }
  | { readonly kind: 'not_happened' }
  | { readonly kind: 'unknown' };

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
  /** How often a passing failure of a call that may be repeated is tried, in all; 3 when left out. */
  readonly attemptsMax?: number;
  /** True when it touches nothing but what is the agent's own, so that nobody need be asked. */
  readonly own?: boolean;
  /** Told to the model with the result of the first use, instead of in every request. */
  readonly instructions?: string;
  /** What the call does, in one line for people. It shows the input itself, never the model's words about it. */
  readonly summarize: (input: Input) => string;
  /** What the call reaches for; policy rules are about it. */
  readonly touches?: (input: Input, context: LookContext) => readonly Touch[] | Promise<readonly Touch[]>;
  /** What will happen, for those who approve. Computed again before it runs: when it differs, the call does not run. */
  readonly preview?: (input: Input, context: LookContext) => string | Promise<string>;
  /** Why this machine cannot confine what the tool starts; undefined when it can, or when nothing needs confining. */
  readonly unconfined?: (context: LookContext) => string | undefined | Promise<string | undefined>;
  /** Of a `checkable` tool: finds out whether the call with this context's key happened. */
  readonly probe?: (input: Input, context: ToolContext) => Promise<Probed>;
  readonly run: (input: Input, context: ToolContext) => Promise<ToolOutput>;
}

/** A failure that the model can act on. It becomes the result of the call. */
export class ToolError extends Error {
  readonly kind: ToolErrorKind;
  /** True for a failure that may be gone the next time; a call that may be repeated is then tried again. */
  readonly passing: boolean;

  constructor(kind: ToolErrorKind, message: string, { passing = false }: { readonly passing?: boolean } = {}) {
    super(message);
    this.name = 'ToolError';
    this.kind = kind;
    this.passing = passing;
  }
}

/**
 * Makes a tool whose functions accept anything and check it first, so that no tool checks by hand and all tools fit one
 * list. Input that does not fit throws a `ToolError` of kind `invalid_params`.
 */
export function defineTool<Input>(tool: Tool<Input>): Tool {
  const { touches, preview, probe, ...rest } = tool;
  const read = (input: unknown): Input => parseInput(tool, input);
  return {
    ...rest,
    summarize: (input) => tool.summarize(read(input)),
    ...(touches && { touches: (input, context) => touches(read(input), context) }),
    ...(preview && { preview: (input, context) => preview(read(input), context) }),
    ...(probe && { probe: async (input, context) => await probe(read(input), context) }),
    run: async (input, context) => await tool.run(read(input), context),
  };
}

function parseInput<Input>(tool: Tool<Input>, input: unknown): Input {
  const parsed = tool.input.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new ToolError('invalid_params', `Cannot run "${tool.name}": ${z.prettifyError(parsed.error)}`);
}
