import * as z from 'zod';
import { TOOL_OUTPUT_CHARACTERS_MAX } from '../contract/limits.ts';
import { CALL_MARKER, callEnvironment, type Environment } from './call-environment.ts';
import { createCapturedOutput, type Captured } from './captured-output.ts';
import { oneLine } from './one-line.ts';
import { runShell, type ShellEnd } from './shell.ts';
import { defineTool, ToolError, type Tool, type ToolContext, type ToolOutput } from './tool.ts';

const TIMEOUT_SECONDS_MAX = 600;

/** Beyond the longest timeout, for killing and for reading what is left. */
const CLEARING_MS = 20_000;

/** Room for the notes below the output. */
const NOTES_CHARACTERS = 500;

const input = z.strictObject({
  command: z.string().min(1).max(100_000).describe('What bash runs, in the workspace.'),
  timeoutSeconds: z.int().min(1).max(TIMEOUT_SECONDS_MAX).default(60).describe('When the command is killed.'),
  description: z.string().max(500).optional().describe('What the command is for, in a few words.'),
});

type Input = z.infer<typeof input>;

/**
 * Runs a command. It sees nothing of the worker's environment but what an allowlist names; nothing it starts
 * outlives it. It is not confined otherwise: it can do whatever the worker's user can.
 */
export function createBashTool(environment: Environment): Tool {
  return defineTool({
    name: 'bash',
    description:
      'Runs a bash command in the workspace and gives its output, stdout and stderr together. There is no terminal and no input. ' +
      'Everything it starts is killed when it ends, so background processes do not last.',
    input,
    effect: 'unsafe',
    timeoutMs: TIMEOUT_SECONDS_MAX * 1_000 + CLEARING_MS,
    local: false,
    summarize: ({ command }) => `Run ${oneLine(command, 195)}`,
    run: async (wish, context) => await run(wish, context, environment),
  });
}

async function run(
  { command, timeoutSeconds }: Input,
  context: ToolContext,
  environment: Environment,
): Promise<ToolOutput> {
  if (command.includes('\0')) throw new ToolError('invalid_params', 'Cannot run the command: it holds a NUL character');
  const { workspace, key, live, signal } = context;
  const output = createCapturedOutput({
    root: workspace.root,
    key,
    live,
    charactersMax: TOOL_OUTPUT_CHARACTERS_MAX - NOTES_CHARACTERS,
  });
  const shell = {
    command,
    cwd: workspace.root,
    environment: callEnvironment(environment, context),
    marker: { name: CALL_MARKER, value: key },
    timeoutMs: timeoutSeconds * 1_000,
    signal,
    take: output.add,
  };
  const end = await runShell(shell).catch(notStarted);
  const captured = await output.finish();
  if (end.kind === 'cancelled') throw signal.reason;
  const ending = endingOf(end, timeoutSeconds);
  const text = textOf(captured).replace(/\n$/, '');
  return { text: ending === '' ? text : `${text}\n${ending}`, ...failureOf(end) };
}

function notStarted(error: unknown): never {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (typeof code !== 'string') throw error;
  const reason =
    code === 'E2BIG'
      ? 'it is longer than the system takes; put it into a file and run that'
      : `the shell does not start (${code})`;
  throw new ToolError('shell_execute_error', `Cannot run the command: ${reason}`);
}

function textOf({ text, characters, file, whole }: Captured): string {
  if (characters === 0) return '[No output.]';
  if (file === undefined) return text;
  const what = whole ? 'The whole output' : 'The beginning of the output, up to 64 MiB,';
  return `${text}${text.endsWith('\n') ? '' : '\n'}[${what} is in ${file}.]`;
}

function endingOf(end: ShellEnd, timeoutSeconds: number): string {
  if (end.kind === 'timeout') return `[Killed after ${timeoutSeconds} s.]`;
  if (end.kind === 'killed') return `killed by ${end.by}`;
  return end.kind === 'exit' && end.code !== 0 ? `exit code ${end.code}` : '';
}

function failureOf(end: ShellEnd): Omit<ToolOutput, 'text'> {
  if (end.kind === 'timeout') return { isError: true, error: 'timeout' };
  return end.kind === 'exit' && end.code === 0 ? {} : { isError: true, error: 'shell_execute_error' };
}
