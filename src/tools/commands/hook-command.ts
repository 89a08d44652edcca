import { createHeadTail } from '../clip.ts';
import { boundedRun } from '../sandbox/bounded-run.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { CALL_MARKER, callEnvironment, type Environment } from '../shell/call-environment.ts';
import type { ShellEnd } from '../shell/shell.ts';

/** Kept of each output; more on the standard output is no answer. */
export const HOOK_OUTPUT_CHARACTERS_MAX = 64 * 1_024;

/** Names the run of a keyed hook to whatever the hook talks to. */
const KEY_VARIABLE = 'NIGHTSHIFT_KEY';

/** What a worker runs the operator's hooks with. */
export interface HookMeans {
  readonly environment: Environment;
  readonly sandbox: Sandbox;
  /** The operator of this machine lets hooks run where it cannot confine them. */
  readonly unconfined: boolean;
}

export interface HookCommand {
  readonly name: string;
  readonly command: string;
  /** Real path of the workspace. */
  readonly root: string;
  /** Stable across attempts, unique among all; also the marker of its processes. */
  readonly key: string;
  /** Whether the command is given the key, to tell a repeat by. */
  readonly isKeyed: boolean;
  readonly worker: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** For its standard input. */
  readonly input: string;
}

export interface HookCommandEnd {
  readonly end: ShellEnd;
  readonly output: string;
  readonly errors: string;
  /** True when there was more output than is kept. */
  readonly isCut: boolean;
}

/**
 * Runs the command of a hook where a tool's would run. Rejects with a `ToolError` where it cannot be confined, which is
 * never passed over.
 */
export async function runHookCommand(means: HookMeans, hook: HookCommand): Promise<HookCommandEnd> {
  const { command, root, key, worker, isKeyed, timeoutMs, signal, input } = hook;
  const run = await boundedRun(means.sandbox, {
    root,
    unconfined: means.unconfined,
    attempt: `Cannot run the hook "${hook.name}"`,
  });
  const output = collector();
  const errors = collector();
  const { end } = await run({
    command,
    cwd: root,
    environment: { ...callEnvironment(means.environment, { key, worker }), ...(isKeyed && { [KEY_VARIABLE]: key }) },
    marker: { name: CALL_MARKER, value: key },
    timeoutMs,
    signal,
    take: output.take,
    takeErrors: errors.take,
    input,
  });
  const isCut = output.kept.characters() > HOOK_OUTPUT_CHARACTERS_MAX;
  return { end, output: output.kept.text(), errors: errors.kept.text(), isCut };
}

function collector(): {
  readonly kept: ReturnType<typeof createHeadTail>;
  readonly take: (chunk: Buffer) => Promise<void>;
} {
  const kept = createHeadTail(HOOK_OUTPUT_CHARACTERS_MAX);
  const decoder = new TextDecoder();
  return { kept, take: async (chunk) => kept.add(decoder.decode(chunk, { stream: true })) };
}
