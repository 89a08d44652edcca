import { closingUsageOf, openingOf, type SpokenReply } from './reply.ts';

/** One server-sent event. `type` is in the data too, because the SDK reads one and people read the other. */
export interface StreamEvent {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A reply as the events of its stream, in order. */
export function eventsOf(reply: SpokenReply): readonly StreamEvent[] {
  const usage = closingUsageOf(reply);
  return [
    event('message_start', { message: openingOf(reply) }),
    event('ping', {}),
    ...reply.blocks.flatMap(({ start, deltas }, index) => [
      event('content_block_start', { index, content_block: start }),
      ...deltas.map((delta) => event('content_block_delta', { index, delta })),
      event('content_block_stop', { index }),
    ]),
    event('message_delta', {
      delta: { stop_reason: reply.stopReason, stop_sequence: null, stop_details: reply.stopDetails, container: null },
      usage,
    }),
    event('message_stop', {}),
  ];
}

export function event(type: string, fields: Readonly<Record<string, unknown>>): StreamEvent {
  return { event: type, data: { type, ...fields } };
}

export function frameOf({ event: name, data }: StreamEvent): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
