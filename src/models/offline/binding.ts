import { createHash, createHmac } from 'node:crypto';
import { RequestRefused } from './refused.ts';
import { summaryOf } from './compaction.ts';
import type { WireBlock, WireMessage, WireRequest } from './request.ts';

/** `system`, `tools` and the messages so far, up to one point of the conversation. */
export interface Prefix {
  /** Stands for every byte of it. */
  readonly hash: string;
  /** Length as canonical JSON, in characters. */
  readonly characters: number;
}

/** Not a secret. It is fixed so that signatures outlive a restart of the process. */
const SIGNING_KEY = 'nightshift offline model';

type Prompt = Pick<WireRequest, 'system' | 'tools' | 'messages'>;

/** The prefix before each message, and last the prefix that holds them all. */
export function prefixesOf({ system, tools, messages }: Prompt): readonly Prefix[] {
  const base = extend({ hash: '', characters: 0 }, canonical({ system, tools }));
  const prefixes = [base];
  messages.forEach(({ role, content }, index) => {
    const before = index === 0 ? withSummary(base, messages) : (prefixes.at(-1) as Prefix);
    const rest = index === 0 ? content.slice(before === base ? 0 : 1) : content;
    prefixes.push(rest.length === 0 ? before : extend(before, canonical({ role, content: rest })));
  });
  return prefixes;
}

/**
 * A summary stands for what it summarises, so that what follows it unchanged is still bound to the same. It does not
 * when `system` or `tools` are others now, or when what follows would be one message with the last that was summarised.
 */
function withSummary(base: Prefix, messages: readonly WireMessage[]): Prefix {
  const summary = summaryOf(messages);
  if (summary === null) return base;
  const [first, second] = messages;
  const characters = base.characters + JSON.stringify(first?.content[0]).length;
  const next = (first?.content.length ?? 0) > 1 ? first?.role : second?.role;
  if (summary.base === base.hash && next !== summary.lastRole) return { hash: summary.prefix, characters };
  return { ...extend(base, canonical(summary)), characters };
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
