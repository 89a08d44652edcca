import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { callEnvironment } from './call-environment.ts';
import { ToolError, type ToolContext } from '../tool.ts';

/** Starting and loading take a hundredth of this; a busy machine takes longer. */
const START_MS = 15_000;

const RESULT_BYTES_MAX = 32 * 1_024 * 1_024;

/** A process whose worker dies is ended by the system after so many seconds of work, and leaves no dump of its memory. */
const LIMITED = 'ulimit -c 0; ulimit -t 30; exec "$0" "$@"';

export interface SideWork {
  /** How messages begin: `Cannot calculate "1+1"`. */
  readonly attempt: string;
  /**
   * JavaScript of a function `(library) => (data) => result`. It is text and not a module, because plain Node, which runs
   * it, knows neither TypeScript nor the test runner.
   */
  readonly code: string;
  /** Path of the package that the code is given, as `require.resolve` finds it. */
  readonly library: string;
  /** JSON, as is the result. */
  readonly data: unknown;
  /** For the work itself; starting has a limit of its own. */
  readonly timeoutMs: number;
  readonly memoryMb: number;
}

/**
 * Does work on foreign input in a process of its own, which is killed when it takes too long; the worker goes on
 * meanwhile. A thread would not do: one large array too many ends the whole process, whatever the thread's limits are.
 * The process has no environment but the marks of the call. Rejects with a `ToolError` at a limit, with what went wrong
 * in the process, and with the signal's reason.
 */
export async function runAside(
  work: SideWork,
  { signal, key, worker }: Pick<ToolContext, 'signal' | 'key' | 'worker'>,
): Promise<unknown> {
  signal.throwIfAborted();
  const child = spawn('/bin/sh', ['-c', LIMITED, process.execPath, ...nodeArguments(work)], {
    env: callEnvironment({}, { key, worker }),
    cwd: '/',
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const end = (): void => void child.kill('SIGKILL');
  signal.addEventListener('abort', end, { once: true });
  try {
    const result = await resultOf(child, work);
    signal.throwIfAborted();
    return result();
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}

function nodeArguments({ code, library, memoryMb }: SideWork): readonly string[] {
  const program = `
    const run = (${code})(require(${JSON.stringify(library)}));
    let text = '';
    process.stdin.setEncoding('utf8').on('data', (part) => (text += part)).on('end', () => {
      const data = JSON.parse(text);
      process.stdout.write('\\n');
      process.stdout.write(JSON.stringify({ result: run(data) }));
    });`;
  return [`--max-old-space-size=${memoryMb}`, '-e', program];
}

/** Resolves when the process is done or has to be ended; what is given then tells the result, or throws. */
async function resultOf(child: ChildProcess, { attempt, data, timeoutMs }: SideWork): Promise<() => unknown> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  let stopped: ToolError | undefined;
  let timer: NodeJS.Timeout | undefined;
  const stop = (error: ToolError): void => {
    stopped = error;
    child.kill('SIGKILL');
  };
  const limit = (ms: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => stop(new ToolError('timeout', `${attempt}: it takes longer than ${ms / 1_000} s`)), ms);
  };
  limit(START_MS);
  child.stdout?.on('data', (piece: Buffer) => {
    // The first byte says that loading is over and the work begins.
    if (bytes === 0) limit(timeoutMs);
    bytes += piece.length;
    if (bytes <= RESULT_BYTES_MAX) pieces.push(piece);
    else stop(new ToolError('execution_failed', `${attempt}: the result is too large`));
  });
  // A process that is killed does not take its input; how it ended says more than the broken pipe.
  child.stdin?.on('error', () => {}).end(JSON.stringify(data));
  try {
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    return () => {
      if (stopped !== undefined) throw stopped;
      if (code !== 0) throw new ToolError('execution_failed', `${attempt}: ${reasonOf(code, signal)}`);
      return (JSON.parse(Buffer.concat(pieces).toString('utf8')) as { result: unknown }).result;
    };
  } finally {
    clearTimeout(timer);
  }
}

function reasonOf(code: number | null, signal: string | null): string {
  if (signal === 'SIGABRT' || signal === 'SIGTRAP' || code === 134) return 'it takes too much memory';
  return `its process ended with ${signal ?? `code ${code}`}`;
}
