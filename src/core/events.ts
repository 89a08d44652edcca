import type { EventPage, RunEvent, RunEventBody } from '../contract/events.ts';
import { EVENT_BYTES_KEPT_MAX, EVENTS_KEPT_MAX, PAGE_BYTES_MAX } from '../contract/limits.ts';
import { jsonBytes } from './sizes.ts';

/** The newest events of a run. `last` counts on through every continuation, so a reader's position stays valid. */
export interface EventLog {
  readonly kept: readonly RunEvent[];
  readonly bytes: number;
  readonly last: number;
}

export const emptyLog: EventLog = { kept: [], bytes: 0, last: 0 };

/** Appends events and drops the oldest beyond what is kept for readers. */
export function record(log: EventLog, bodies: readonly RunEventBody[], at: number): EventLog {
  if (bodies.length === 0) return log;
  const added = bodies.map((body, index): RunEvent => ({ ...body, seq: log.last + index + 1, at }));
  const kept = [...log.kept, ...added];
  let bytes = log.bytes + added.reduce((sum, event) => sum + jsonBytes(event), 0);
  let drop = 0;
  while (drop < kept.length && (kept.length - drop > EVENTS_KEPT_MAX || bytes > EVENT_BYTES_KEPT_MAX)) {
    bytes -= jsonBytes(kept[drop]);
    drop += 1;
  }
  return { kept: drop > 0 ? kept.slice(drop) : kept, bytes, last: log.last + added.length };
}

/** The events after a sequence number, as many as fit in a page. */
export function pageAfter(log: EventLog, after: number): EventPage {
  const first = log.last - log.kept.length + 1;
  const events: RunEvent[] = [];
  let bytes = 0;
  for (const event of log.kept.slice(Math.max(0, after - first + 1))) {
    bytes += jsonBytes(event);
    if (events.length > 0 && bytes > PAGE_BYTES_MAX) break;
    events.push(event);
  }
  return { events, last: log.last, missed: after < first - 1 };
}
