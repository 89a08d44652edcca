import { Context } from '@temporalio/activity';
import type { LiveText } from '../contract/activities.ts';

/** How often a working activity shows what it has, and hears whether it is cancelled. Milliseconds. */
const BEAT_MS = 400;

/**
 * Runs `work` while a heartbeat goes on. What `work` shows is seen in the activity's pending details within half a
 * second, and costs no history; the answer to each beat is how a cancel reaches the activity.
 */
export async function withLiveText<T>(work: (show: (live: LiveText) => void) => Promise<T>): Promise<T> {
  const context = Context.current();
  if (context.info.isLocal) return await work(() => undefined);
  let live: LiveText | undefined;
  const timer = setInterval(() => context.heartbeat(live), BEAT_MS);
  try {
    return await work((newest) => {
      live = newest;
    });
  } finally {
    clearInterval(timer);
  }
}
