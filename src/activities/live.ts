import { Context } from '@temporalio/activity';
import type { LiveText } from '../contract/activities.ts';

/** How often a working activity shows what it has, and hears whether it is cancelled. Milliseconds. */
const BEAT_MS = 400;

/** What a working activity shows of itself. */
export interface Beat<Shown> {
  /** Goes out with the next beat, and with each after it until there is something newer. */
  readonly show: (shown: Shown) => void;
  /** Sends what is shown without waiting for the next beat. */
  readonly now: () => void;
}

/**
 * Runs `work` while a heartbeat goes on. What `work` shows is seen in the activity's pending details within half a
 * second, and costs no history; the answer to each beat is how a cancel reaches the activity.
 */
export async function withLiveText<T>(work: (show: (live: LiveText) => void) => Promise<T>): Promise<T> {
  return await withBeat<LiveText | undefined, T>(undefined, async ({ show }) => await work(show));
}

/**
 * The same for anything that is shown. `first` is shown until there is something newer: a beat without it would wipe out
 * what earlier attempts left.
 */
export async function withBeat<Shown, T>(first: Shown, work: (beat: Beat<Shown>) => Promise<T>): Promise<T> {
  const context = Context.current();
  if (context.info.isLocal) return await work({ show: () => undefined, now: () => undefined });
  let newest = first;
  const now = (): void => context.heartbeat(newest);
  const timer = setInterval(now, BEAT_MS);
  try {
    return await work({ show: (shown) => void (newest = shown), now });
  } finally {
    clearInterval(timer);
  }
}
