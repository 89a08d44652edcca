import { constants } from 'node:os';
import * as z from 'zod';
import { TOOL_OUTPUT_CHARACTERS_MAX } from '../../contract/limits.ts';
import { CALL_MARKER, callEnvironment, type Environment } from './call-environment.ts';
import { createCapturedOutput, type Captured } from './captured-output.ts';
import { oneLine, quoted } from '../one-line.ts';
import { realTouches } from './real-touches.ts';
import { boundedRun } from '../sandbox/bounded-run.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { touchesOfShell } from './shell-line.ts';
import type { ShellEnd } from './shell.ts';
import { defineTool, ToolError, type Tool, type ToolContext, type ToolOutput } from '../tool.ts';

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
 * Runs a command in the sandbox. Where this machine has none, it runs only when a person allowed that for this very
 * call; then it can do whatever the worker's user can, but still sees nothing of the worker's environment beyond an
 * allowlist, and nothing it starts outlives it.
 */
export function createBashTool(environment: Environment, sandbox: Sandbox): Tool {
  return defineTool({
    name: 'bash',
    description:
      'Runs a bash command in the workspace and gives its output, stdout and stderr together. There is no terminal and no input. ' +
      `It runs in a sandbox: ${networkOf(sandbox)}, and only the workspace can be written (what is put into /tmp or the home folder is gone afterwards). ` +
      'Everything it starts is killed when it ends, so background processes do not last.',
    input,
    effect: 'unsafe',
    timeoutMs: TIMEOUT_SECONDS_MAX * 1_000 + CLEARING_MS,
    local: false,
    summarize: ({ command }) => `Run ${oneLine(command, 195)}`,
    touches: async ({ command }, look) => await realTouches(touchesOfShell(command), look),
    unconfined: async ({ workspace }) => await sandbox.problem(workspace.root),
    preview: async ({ command, timeoutSeconds }, { workspace }) => {
      const problem = await sandbox.problem(workspace.root);
      const bounds =
        problem === undefined ? `in the sandbox (${networkOf(sandbox)})` : `NOT CONFINED, because ${problem}`;
      // The command stands last, so that no line of it can be taken for one of ours.
      return `In ${quoted(workspace.root)}, ${bounds}, for at most ${timeoutSeconds} s:\n\n${command}`;
    },
    run: async (wish, context) => await run(wish, context, { environment, sandbox }),
  });
}

function networkOf({ allowedDomains }: Sandbox): string {
  if (allowedDomains.length === 0) return 'there is no network';
  return `the network is limited to ${allowedDomains.join(', ')}, over HTTP and HTTPS`;
}

async function run(
  { command, timeoutSeconds }: Input,
  context: ToolContext,
  { environment, sandbox }: { readonly environment: Environment; readonly sandbox: Sandbox },
): Promise<ToolOutput> {
  if (command.includes('\0')) throw new ToolError('invalid_params', 'Cannot run the command: it holds a NUL character');
  const { workspace, key, live, signal } = context;
  const bounds = { root: workspace.root, unconfined: context.unconfined, attempt: 'Cannot run the command' };
  const perform = await boundedRun(sandbox, bounds);
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
  const { end, putAway } = await perform(shell).catch(notStarted);
  const captured = await output.finish();
  if (end.kind === 'cancelled') throw signal.reason;
  const notes = [endingOf(end, timeoutSeconds), putAwayNote(putAway)].filter((note) => note !== '');
  return { text: [textOf(captured).replace(/\n$/, ''), ...notes].join('\n'), ...failureOf(end) };
}

function putAwayNote(paths: readonly string[]): string {
  if (paths.length === 0) return '';
  const names = paths.map(quoted).join(', ');
  return `[Moved below .nightshift/quarantine, because programs outside the sandbox would act on it: ${names}.]`;
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
  if (end.kind === 'stopped') return `[Killed: ${end.why}.]`;
  if (end.kind === 'unconfined') return '[The sandbox could not be made, so the command was not started.]';
  return end.kind === 'exit' && end.code !== 0 ? `exit code ${end.code}${signalOf(end.code)}` : '';
}

/** Shells tell of a program that a signal ended by a code above 128. */
function signalOf(code: number): string {
  const name = Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0];
  return name === undefined ? '' : ` (${name})`;
}

function failureOf(end: ShellEnd): Omit<ToolOutput, 'text'> {
  if (end.kind === 'timeout') return { isError: true, error: 'timeout' };
  return end.kind === 'exit' && end.code === 0 ? {} : { isError: true, error: 'shell_execute_error' };
}
