import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bill } from './bill.ts';
import type { Fault } from './faults.ts';
import type { SpokenReply } from './reply.ts';
import { event, eventsOf, frameOf, type StreamEvent } from './stream.ts';

export interface Stage {
  readonly response: ServerResponse;
  readonly requestId: string;
  /** Fires when the client is gone or the server closes; nothing more is generated then. */
  readonly gone: AbortSignal;
}

/** A reply, and who counts what of it goes out. */
export interface Part {
  readonly reply: SpokenReply;
  readonly bill: Bill;
}

/** Streams a reply, with the fault in its way if there is one. Resolves to whether the reply was sent whole. */
export async function playStream({ reply, bill }: Part, fault: Fault | null, stage: Stage): Promise<boolean> {
  const { response, requestId, gone } = stage;
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
    'request-id': requestId,
  });
  response.flushHeaders();
  const events = fault?.kind === 'unknown_kinds' ? withUnknownEvent(eventsOf(reply)) : eventsOf(reply);
  try {
    return fault !== null && 'afterEvents' in fault
      ? await playUntil(events.slice(0, Math.min(fault.afterEvents ?? 0, events.length - 1)), fault, {
          reply,
          bill,
          stage,
        })
      : await playAll(events, { reply, bill, stage });
  } catch (error) {
    if (gone.aborted) return false;
    throw error;
  }
}

interface Playing extends Part {
  readonly stage: Stage;
}

async function playAll(events: readonly StreamEvent[], playing: Playing): Promise<true> {
  for (const next of events) await send(next, playing);
  playing.stage.response.end();
  return true;
}

async function playUntil(events: readonly StreamEvent[], fault: Fault, playing: Playing): Promise<false> {
  for (const next of events) await send(next, playing);
  await breakOff(fault, playing.stage);
  return false;
}

async function send(next: StreamEvent, { reply: { pauseMs }, bill, stage }: Playing): Promise<void> {
  const { response, gone } = stage;
  gone.throwIfAborted();
  bill.sent(next);
  if (!response.write(frameOf(next))) await once(response, 'drain', { signal: gone });
  if (pauseMs > 0) await sleep(pauseMs, undefined, { signal: gone });
}

async function breakOff(fault: Fault, { response, gone }: Stage): Promise<void> {
  if (fault.kind === 'stall') await untilGone(gone);
  if (fault.kind === 'error_event') {
    response.write(frameOf(event('error', { error: { type: fault.type, message: fault.message, details: null } })));
  }
  // Node sends what was written before it closes a connection in order; a broken one needs a moment to be read.
  if (fault.kind === 'drop') {
    await sleep(1);
    response.destroy();
  } else response.end();
}

export async function untilGone(gone: AbortSignal): Promise<void> {
  if (!gone.aborted) await once(gone, 'abort');
}

function withUnknownEvent(events: readonly StreamEvent[]): readonly StreamEvent[] {
  return [...events.slice(0, 2), event('aurora', { brightness: 7 }), ...events.slice(2)];
}
