import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { ToolError } from '../tool.ts';

/** Output beyond this is never shown, so the search ends there. */
const OUTPUT_CHARACTERS_MAX = 1_000_000;
const COMPLAINT_CHARACTERS_MAX = 2_000;

export interface Search {
  readonly options: readonly string[];
  /** Searched from `cwd`; `-` searches `input`. */
  readonly path: string;
  readonly cwd: string;
  /** An open file descriptor. */
  readonly input?: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly linesMax: number;
  readonly signal: AbortSignal;
}

export interface Found {
  readonly lines: readonly string[];
  /** True when there would have been more lines. */
  readonly more: boolean;
  /** What ripgrep has to say about a pattern it does not understand. */
  readonly complaint: string;
}

/**
 * Options of every search. Files that git ignores are left out; hidden ones are not, except those of git and of
 * ours. Sorted output makes the same question give the same answer, and allows to stop early.
 */
const FIXED_OPTIONS = [
  '--no-config',
  '--no-messages',
  '--no-follow',
  '--no-mmap',
  '--no-ignore-global',
  '--hidden',
  '--color=never',
  '--sort=path',
];
const HIDDEN_GLOBS = ['--glob=!.git', '--glob=!.nightshift'];

/** Runs ripgrep, whose regular expressions take linear time. Rejects with the signal's reason when that fires. */
export async function ripgrep(search: Search): Promise<Found> {
  const { options, path, cwd, input, environment, signal } = search;
  signal.throwIfAborted();
  const child = spawn(await ripgrepPath(), [...FIXED_OPTIONS, ...options, ...HIDDEN_GLOBS, '--', path], {
    cwd,
    env: environment,
    stdio: [input ?? 'ignore', 'pipe', 'pipe'],
  });
  const stop = (): void => void child.kill('SIGKILL');
  signal.addEventListener('abort', stop);
  try {
    const ended = once(child, 'close');
    const [found] = await Promise.all([collect(child, search.linesMax), ended]);
    signal.throwIfAborted();
    return found;
  } catch (error) {
    signal.throwIfAborted();
    throw new ToolError(
      'execution_failed',
      `Cannot start "rg": ${error instanceof Error ? error.message : 'unknown reason'}`,
    );
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function collect(child: ChildProcess, linesMax: number): Promise<Found> {
  const complaint = textOf(child.stderr, (text) => text.length > COMPLAINT_CHARACTERS_MAX);
  const output = await textOf(child.stdout, (text) => text.length > OUTPUT_CHARACTERS_MAX || newlines(text) > linesMax);
  if (!output.whole) child.kill('SIGKILL');
  const lines = output.text.split('\n').slice(0, -1);
  return {
    lines: lines.slice(0, linesMax),
    more: !output.whole || lines.length > linesMax,
    complaint: (await complaint).text.slice(0, COMPLAINT_CHARACTERS_MAX).trim(),
  };
}

interface Text {
  readonly text: string;
  readonly whole: boolean;
}

async function textOf(stream: ChildProcess['stdout'], isEnough: (text: string) => boolean): Promise<Text> {
  let text = '';
  for await (const chunk of stream?.setEncoding('utf8') ?? []) {
    text += chunk as string;
    if (isEnough(text)) return { text, whole: false };
  }
  return { text, whole: true };
}

function newlines(text: string): number {
  return text.split('\n').length - 1;
}

/** The binary that comes with the package; on a platform it has none for, the one on the path. */
async function ripgrepPath(): Promise<string> {
  return await import('@vscode/ripgrep').then(
    ({ rgPath }) => rgPath,
    () => 'rg',
  );
}
