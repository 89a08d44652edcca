import { createInterface } from 'node:readline/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pc from 'picocolors';
import type { Environment } from '../config/environment.ts';

export type Colors = ReturnType<typeof pc.createColors>;

export interface TerminalOptions {
  readonly color: boolean;
  readonly input: boolean;
}

/**
 * Where a command speaks. Results go to stdout and nothing else does; everything for people goes to stderr, so that
 * output can be piped.
 */
export interface Terminal {
  readonly colors: Colors;
  /** For what is printed on stdout. */
  readonly outColors: Colors;
  /** A line, or several, on stdout. */
  readonly print: (text: string) => void;
  /** A line, or several, on stderr. */
  readonly say: (text: string) => void;
  /** A line that the next one replaces; only on a terminal. */
  readonly flash: (text: string) => void;
  /** True when a person can be asked. */
  readonly canAsk: boolean;
  /** Resolves with what the person typed, without white space around it, or null when `signal` fires first. */
  readonly ask: (question: string, signal?: AbortSignal) => Promise<string | null>;
}

const CLEAR_LINE = '\r\u001b[2K';

/** What was typed before a question was on the screen was not meant for it. Milliseconds. */
const TYPED_AHEAD_MS = 300;

export function openTerminal({ color, input }: TerminalOptions, env: Environment): Terminal {
  const { stdin, stdout, stderr } = process;
  const wanted = color && (env['NO_COLOR'] ?? '') === '';
  let flashing = false;
  let held: string[] | null = null;
  const write = (text: string): void => {
    if (held !== null) return void held.push(text);
    stderr.write(`${flashing ? CLEAR_LINE : ''}${text}\n`);
    flashing = false;
  };
  const release = (): void => {
    const waiting = held ?? [];
    held = null;
    for (const text of waiting) write(text);
  };
  return {
    colors: pc.createColors(wanted && stderr.isTTY),
    outColors: pc.createColors(wanted && stdout.isTTY),
    print: (text) => void stdout.write(`${text}\n`),
    say: write,
    flash(text) {
      if (!stderr.isTTY || held !== null) return;
      // Whoever calls has cut the text to the width; cutting here could cut a colour in two.
      stderr.write(`${CLEAR_LINE}${text}`);
      flashing = true;
    },
    canAsk: input && stdin.isTTY && stderr.isTTY,
    async ask(question, signal) {
      if (flashing) write('');
      // Lines about the run wait while somebody types.
      held ??= [];
      try {
        return await askOnce(question, signal);
      } finally {
        release();
      }
    },
  };
}

/** The system's own line editing is used, so that Ctrl-C stays a signal. */
async function askOnce(question: string, signal?: AbortSignal): Promise<string | null> {
  await dropTypedAhead();
  if (signal?.aborted === true) return null;
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  const closed = new Promise<null>((resolve) => lines.once('close', () => resolve(null)));
  try {
    const typed = lines.question(question, signal === undefined ? {} : { signal }).catch(() => null);
    const answer = await Promise.race([typed, closed]);
    if (answer === null) process.stderr.write('\n');
    return answer?.trim() ?? null;
  } finally {
    lines.close();
    process.stdin.pause();
  }
}

async function dropTypedAhead(): Promise<void> {
  const drop = (): void => undefined;
  process.stdin.on('data', drop);
  process.stdin.resume();
  await sleep(TYPED_AHEAD_MS);
  process.stdin.off('data', drop);
  process.stdin.pause();
}
