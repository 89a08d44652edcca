import type { Client } from '@temporalio/client';
import { cancelRun } from '../../client.ts';
import type { Terminal } from '../terminal.ts';
import { isYes } from './ask-person.ts';
import type { RunEnd } from './run-end.ts';

export interface InterruptionOptions {
  readonly client: Client;
  readonly runId: string;
  readonly terminal: Terminal;
  readonly timeoutMs?: number | undefined;
}

export interface Interruptions {
  readonly interrupted: Promise<RunEnd>;
  readonly close: () => void;
}

/** How soon a second Ctrl-C must come to mean "cancel the run". Milliseconds. */
const SECOND_PRESS_MS = 2_000;

/** Ends the following on Ctrl-C or when the time is up. Neither touches the run, unless a person says so when asked. */
export function listenForInterruptions(options: InterruptionOptions): Interruptions {
  const { runId, terminal, timeoutMs } = options;
  const { promise, resolve } = withResolvers<RunEnd>();
  const timers: NodeJS.Timeout[] = [];
  if (timeoutMs !== undefined)
    timers.push(setTimeout(() => resolve({ kind: 'timeout' }), Math.min(timeoutMs, 2 ** 31 - 1)));
  let presses = 0;
  const onPress = (): void => {
    presses += 1;
    if (presses === 2 && terminal.canAsk) {
      timers.forEach(clearTimeout);
      // A run that was asked to stop is followed to its end, which is near.
      void askToCancel(options).then((asked) => asked || resolve({ kind: 'detached' }));
    }
    if (presses > 2) resolve({ kind: 'detached' });
    if (presses > 1) return;
    const more = terminal.canAsk ? '; Ctrl-C again asks whether to cancel it' : '';
    terminal.say(
      `\n${runId} goes on; "nightshift runs cancel ${runId}" stops it, "nightshift runs tail ${runId}" follows it${more}`,
    );
    if (terminal.canAsk) timers.push(setTimeout(() => resolve({ kind: 'detached' }), SECOND_PRESS_MS));
    else resolve({ kind: 'detached' });
  };
  process.on('SIGINT', onPress);
  return {
    interrupted: promise,
    close() {
      process.off('SIGINT', onPress);
      timers.forEach(clearTimeout);
    },
  };
}

async function askToCancel({ client, runId, terminal }: InterruptionOptions): Promise<boolean> {
  const typed = await terminal.ask(`Cancel ${runId}? [y/N] `);
  if (typed === null || !isYes(typed)) {
    terminal.say(`${runId} goes on`);
    return false;
  }
  const sent = await cancelRun(client, runId);
  terminal.say(
    sent.kind === 'gone' ? sent.message : `${runId} was asked to stop; Ctrl-C leaves without waiting for it`,
  );
  return true;
}

function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve };
}
