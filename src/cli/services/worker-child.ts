import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

export interface WorkerChildOptions {
  /** The file that starts the command line. */
  readonly main: string;
  readonly arguments: readonly string[];
  readonly say: (line: string) => void;
}

export interface WorkerChild {
  /** Resolves when the first worker polls. */
  readonly ready: Promise<void>;
  /** Ends the worker in order; steps in progress get their grace. */
  readonly stop: () => Promise<void>;
}

/** A worker that lives shorter than this died of its start, not of its work. Milliseconds. */
const SHORT_LIFE_MS = 5_000;
const RESTART_WAIT_MAX_MS = 30_000;

/** Longer than a worker takes to end by its own rules. */
const STOP_TIMEOUT_MS = 25_000;

/**
 * Keeps one worker process alive. A dead one is replaced at once, since every second counts for the runs it held;
 * one that dies again and again is given more and more time.
 */
export function superviseWorker(options: WorkerChildOptions): WorkerChild {
  const stopping = new AbortController();
  const { promise: ready, resolve: tellReady } = withResolvers();
  let child: ChildProcess | null = null;
  const loop = keepAlive(options, {
    signal: stopping.signal,
    started: (started) => {
      child = started;
      started.on('message', tellReady);
    },
  });
  return {
    ready,
    async stop() {
      stopping.abort();
      if (child !== null) await end(child);
      await loop;
    },
  };
}

interface Keeping {
  readonly signal: AbortSignal;
  readonly started: (child: ChildProcess) => void;
}

async function keepAlive(options: WorkerChildOptions, { signal, started }: Keeping): Promise<void> {
  for (let shortLives = 0; !signal.aborted;) {
    const startedAt = performance.now();
    const child = start(options);
    started(child);
    const how = await endOf(child);
    if (signal.aborted) return;
    shortLives = performance.now() - startedAt < SHORT_LIFE_MS ? shortLives + 1 : 0;
    const waitMs = restartWait(shortLives);
    options.say(`The worker ended (${how}); it is started again ${waitMs === 0 ? 'now' : `in ${waitMs / 1_000} s`}`);
    await sleep(waitMs, undefined, { signal }).catch(() => undefined);
  }
}

/** 0 for the first death, then 1, 2, 4 … seconds. */
export function restartWait(shortLives: number): number {
  return shortLives <= 1 ? 0 : Math.min(RESTART_WAIT_MAX_MS, 1_000 * 2 ** (shortLives - 2));
}

/** In a session of its own, so that Ctrl-C reaches us first; it ends by itself when we die and the channel closes. */
function start({ main, arguments: words }: WorkerChildOptions): ChildProcess {
  return spawn(process.execPath, [main, 'worker', '--supervised', ...words], {
    stdio: ['ignore', 2, 2, 'ipc'],
    detached: true,
  });
}

async function endOf(child: ChildProcess): Promise<string> {
  return await new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await gone;
  clearTimeout(timer);
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
}
