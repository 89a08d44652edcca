import type { LiveText } from '../contract/activities.ts';

/** Characters of the newest text that are shown; a heartbeat carries them, so they must stay few. */
const LIVE_TAIL_CHARACTERS = 4_000;

type LiveKind = LiveText['kind'];

/**
 * Collects the pieces of a reply into what a watcher sees. When thinking turns into text or back, `offset` and
 * `tail` begin anew, so that words of one kind are never shown as the other.
 */
export function collectLiveText(onLive: (live: LiveText) => void): (kind: LiveKind, piece: string) => void {
  let live: LiveText | null = null;
  return (kind, piece) => {
    const before: LiveText = live?.kind === kind ? live : { kind, offset: 0, tail: '' };
    live = { kind, offset: before.offset + piece.length, tail: tailOf(before.tail + piece) };
    try {
      onLive(live);
    } catch {
      // A watcher that fails must not cost a model call that is already paid for.
    }
  };
}

/** Never begins with the second half of a character. */
function tailOf(text: string): string {
  const tail = text.slice(-LIVE_TAIL_CHARACTERS);
  return /^[\uDC00-\uDFFF]/.test(tail) ? tail.slice(1) : tail;
}
