import { TOOL_OUTPUT_CHARACTERS_MAX } from '../../contract/limits.ts';
import type { ToolDefinition } from '../../contract/spec.ts';
import { readDeclarations, type Discovered } from './tool-declarations.ts';
import { CALL_MARKER, callEnvironment, type Environment } from '../shell/call-environment.ts';
import { createHeadTail } from '../clip.ts';
import { digestOf } from '../digest.ts';
import { foreignInput } from '../foreign-schema.ts';
import { oneLine, quoted } from '../one-line.ts';
import { boundedRun } from '../sandbox/bounded-run.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { ShellCommand, ShellEnd } from '../shell/shell.ts';
import { defineTool, ToolError, type Tool, type ToolContext, type ToolOutput } from '../tool.ts';

const DISCOVER_MS_MAX = 30_000;

/** For killing, beyond what a call itself may take. */
const CLEARING_MS = 10_000;

const DISCOVERED_BYTES_MAX = 1_024 * 1_024;
const ERROR_CHARACTERS_MAX = 4_000;

export interface Discovery {
  /** Prints what tools there are, as JSON. */
  readonly discover: string;
  /** Runs one of them: gets its name as last argument and the input as JSON on stdin. */
  readonly call: string;
  /** Where the two commands are written down, for people. */
  readonly source: string;
  /** Real path of the workspace, in which both run. */
  readonly root: string;
  readonly environment: Environment;
  readonly sandbox: Sandbox;
  readonly signal: AbortSignal;
}

/**
 * Asks a command what tools there are. It runs in the sandbox and nowhere else, since nobody is there to be asked.
 * Rejects with `ToolError` when it cannot run or what it prints is not a list of declarations.
 */
export async function discoverCommandTools(discovery: Discovery): Promise<Discovered> {
  const { discover, root, sandbox } = discovery;
  const attempt = `Cannot discover tools with ${quoted(discover)}`;
  const problem = await sandbox.problem(root);
  if (problem !== undefined)
    throw new ToolError('permission_denied', `${attempt}: it cannot be confined here: ${problem}`);
  const key = `discover-${digestOf(discover, root).slice(7, 39)}`;
  const { output, errors, end } = await perform(
    { command: discover, key, worker: key, timeoutMs: DISCOVER_MS_MAX, bytesMax: DISCOVERED_BYTES_MAX, ...discovery },
    async (shell) => (await sandbox.run(shell)).end,
  );
  const reason = failureOf(end);
  if (reason !== undefined) throw new ToolError('shell_execute_error', `${attempt}: ${reason}${said(errors.text())}`);
  if (output.characters() > DISCOVERED_BYTES_MAX)
    throw new ToolError('execution_failed', `${attempt}: it prints more than 1 MiB`);
  return readDeclarations(output.text(), discovery, attempt);
}

/** The tool of a definition that came from `discoverCommandTools`, now or in an earlier process. */
export function createCommandTool(
  definition: ToolDefinition,
  means: { readonly environment: Environment; readonly sandbox: Sandbox },
): Tool {
  const { origin, name } = definition;
  if (origin?.kind !== 'command') throw new Error(`Cannot make "${name}" a command tool: it comes from elsewhere`);
  const command = `${origin.call} ${origin.tool}`;
  const { sandbox } = means;
  return defineTool<unknown>({
    name,
    description: definition.description,
    input: foreignInput(definition.inputSchema),
    effect: definition.effect,
    timeoutMs: definition.timeoutMs,
    local: false,
    origin: origin.source,
    summarize: (input) => `Call ${oneLine(`${name} ${JSON.stringify(input)}`, 195)}`,
    unconfined: async ({ workspace }) => await sandbox.problem(workspace.root),
    preview: async (input, { workspace }) => {
      const problem = await sandbox.problem(workspace.root);
      const bounds = problem === undefined ? 'in the sandbox' : `NOT CONFINED, because ${problem}`;
      return `In ${quoted(workspace.root)}, ${bounds}:\n\n${command}\n\nwith this on its standard input:\n\n${JSON.stringify(input, null, 2)}`;
    },
    run: async (input, context) => await call({ command, input, definition }, context, means),
  });
}

interface Call {
  readonly command: string;
  readonly input: unknown;
  readonly definition: ToolDefinition;
}

async function call(
  { command, input, definition }: Call,
  { workspace, unconfined, ...context }: ToolContext,
  { environment, sandbox }: { readonly environment: Environment; readonly sandbox: Sandbox },
): Promise<ToolOutput> {
  const where = { root: workspace.root, unconfined, attempt: `Cannot run "${definition.name}"` };
  const runBounded = await boundedRun(sandbox, where);
  const run = async (shell: ShellCommand): Promise<ShellEnd> => (await runBounded(shell)).end;
  const timeoutMs = Math.max(1_000, definition.timeoutMs - CLEARING_MS);
  const wish = { ...context, command, root: workspace.root, environment, timeoutMs, input: JSON.stringify(input) };
  const { output, errors, end } = await perform({ ...wish, bytesMax: TOOL_OUTPUT_CHARACTERS_MAX }, run);
  if (end.kind === 'cancelled') throw context.signal.reason;
  const reason = failureOf(end);
  if (reason === undefined) return { text: output.characters() === 0 ? '[No output.]' : output.text() };
  const text = [output.text(), errors.text(), `[${reason}]`].filter((part) => part !== '').join('\n');
  return { text, isError: true, error: end.kind === 'timeout' ? 'timeout' : 'shell_execute_error' };
}

interface Performance {
  readonly command: string;
  readonly root: string;
  readonly key: string;
  readonly worker: string;
  readonly environment: Environment;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly bytesMax: number;
  readonly input?: string;
}

async function perform(
  wish: Performance,
  run: (shell: ShellCommand) => Promise<ShellEnd>,
): Promise<{
  readonly output: ReturnType<typeof createHeadTail>;
  readonly errors: ReturnType<typeof createHeadTail>;
  readonly end: ShellEnd;
}> {
  const { command, root, key, worker, environment, signal, timeoutMs, bytesMax, input } = wish;
  const output = collector(bytesMax);
  const errors = collector(ERROR_CHARACTERS_MAX);
  const end = await run({
    command,
    cwd: root,
    environment: callEnvironment(environment, { key, worker }),
    marker: { name: CALL_MARKER, value: key },
    timeoutMs,
    signal,
    take: output.take,
    takeErrors: errors.take,
    ...(input !== undefined && { input }),
  });
  return { output: output.kept, errors: errors.kept, end };
}

function collector(charactersMax: number): {
  readonly kept: ReturnType<typeof createHeadTail>;
  readonly take: (chunk: Buffer) => Promise<void>;
} {
  const kept = createHeadTail(charactersMax);
  const decoder = new TextDecoder();
  return { kept, take: async (chunk) => kept.add(decoder.decode(chunk, { stream: true })) };
}

function failureOf(end: ShellEnd): string | undefined {
  switch (end.kind) {
    case 'exit':
      return end.code === 0 ? undefined : `exit code ${end.code}`;
    case 'killed':
      return `killed by ${end.by}`;
    case 'stopped':
      return `killed: ${end.why}`;
    case 'timeout':
      return 'killed, because it took too long';
    case 'unconfined':
      return 'the sandbox could not be made';
    case 'cancelled':
      return 'cancelled';
  }
}

function said(errors: string): string {
  return errors.trim() === '' ? '' : `; it said: ${oneLine(errors.trim(), 500)}`;
}
