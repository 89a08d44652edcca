import { createHash, createHmac } from 'node:crypto';
import { RequestRefused, type WireBlock, type WireRequest } from './request.ts';

/** `system`, `tools` and the messages so far, up to one point of the conversation. */
export interface Prefix {
  /** Stands for every byte of it. */
  readonly hash: string;
  /** Length as canonical JSON, in characters. */
  readonly characters: number;
}

/** Not a secret. It is fixed so that signatures outlive a restart of the process. */
const SIGNING_KEY = 'nightshift offline model';

/** The prefix before each message, and last the prefix that holds them all. */
export function prefixesOf({
  system,
  tools,
  messages,
}: Pick<WireRequest, 'system' | 'tools' | 'messages'>): readonly Prefix[] {
  const prefixes = [extend({ hash: '', characters: 0 }, canonical({ system, tools }))];
  for (const { role, content } of messages) {
    prefixes.push(extend(prefixes.at(-1) as Prefix, canonical({ role, content })));
  }
  return prefixes;
}

function extend({ hash, characters }: Prefix, text: string): Prefix {
  return {
    hash: createHash('sha256').update(hash).update('\n').update(text).digest('hex'),
    characters: characters + text.length,
  };
}

/** What ties thinking to its place: everything before its message, then what stands before it in the message. */
export function signatureOf(prefix: Prefix, earlier: readonly WireBlock[], thinking: string): string {
  return createHmac('sha256', SIGNING_KEY)
    .update(`${prefix.hash}\n${canonical(earlier)}\n${thinking}`)
    .digest('base64');
}

/** Refuses a conversation in which anything before a thinking block is not what it was when the block was made. */
export function checkBinding({ messages }: WireRequest, prefixes: readonly Prefix[]): void {
  messages.forEach(({ content }, index) => {
    content.forEach((block, position) => {
      if (block.type !== 'thinking') return;
      const prefix = prefixes[index] as Prefix;
      if (block['signature'] === signatureOf(prefix, content.slice(0, position), String(block['thinking']))) return;
      throw new RequestRefused(
        `messages.${index}.content.${position}: the thinking block is bound to a different conversation: ` +
          '`system`, `tools`, an earlier message or the block itself was changed after it was produced',
      );
    });
  });
}

/**
 * One text for one meaning: keys are in order, cache marks and fields without a value are left out, as is the
 * caller that every call has by default.
 */
function canonical(value: unknown): string {
  return JSON.stringify(value, (key, inner: unknown) => {
    if (key === 'cache_control' || inner === null) return undefined;
    if (key === 'caller' && isDirect(inner)) return undefined;
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}

function isDirect(caller: unknown): boolean {
  return typeof caller === 'object' && caller !== null && 'type' in caller && caller.type === 'direct';
}
