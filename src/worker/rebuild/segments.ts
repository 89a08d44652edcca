import { createHash } from 'node:crypto';
import type { AssistantMessage, Message } from '../../contract/messages.ts';
import type { RebuiltMessage, RebuiltSegment } from './rebuilt.ts';

/** Follows a transcript through compactions and continuations, and tells each message once. */
export interface Segments {
  /** The transcript is about to be told from its first message on: after a compaction, or by a new execution. */
  readonly open: (why: 'compacted' | 'continued') => void;
  readonly append: (from: number, messages: readonly Message[]) => readonly (RebuiltMessage | RebuiltSegment)[];
}

export function createSegments(): Segments {
  let segment = 0;
  let known: readonly string[] = [];
  let opened: 'compacted' | 'continued' | null = 'continued';
  const tell = (messages: readonly Message[], first: number): readonly RebuiltMessage[] =>
    messages.map((message, offset) => ({ kind: 'message', segment, index: first + offset, message }));
  return {
    open: (why) => void (opened = why),
    append(from, messages) {
      const marks = messages.map(markOf);
      const isAnew = opened !== null && known.length > 0;
      const isSame = opened === 'continued' && startsWith(marks, known);
      opened = null;
      if (isAnew && !isSame) {
        segment += 1;
        const { head, to, kept } = overlap(known, marks);
        const thinking = messages.slice(to, to + kept).some(hasThinking);
        const boundary: RebuiltSegment = {
          kind: 'segment',
          segment,
          head,
          from: known.length - kept,
          to,
          kept,
          thinking,
        };
        known = marks;
        return [boundary, ...tell(messages.slice(head, to), head), ...tell(messages.slice(to + kept), to + kept)];
      }
      const told = isSame ? known.length : 0;
      known = [...known.slice(0, from), ...marks];
      return tell(messages.slice(told), from + told);
    },
  };
}

/** The same for a message and for what a compaction keeps of it, which is all but its thinking. */
function markOf(message: Message): string {
  const kept = message.role === 'assistant' ? withoutThinking(message) : message;
  return createHash('sha256').update(JSON.stringify(kept)).digest('base64');
}

const THINKING: ReadonlySet<string> = new Set(['thinking', 'redacted_thinking']);

function hasThinking({ content }: Message): boolean {
  return content.some(({ type }) => THINKING.has(type));
}

function withoutThinking({ role, content }: AssistantMessage): Message {
  const spoken = content.filter(({ type }) => !THINKING.has(type));
  return { role, content: spoken.some((block) => block.type !== 'text' || !IN_PLACE.test(block.text)) ? spoken : [] };
}

/** What stands for a reply that was nothing but thought, because a message may not be empty. */
const IN_PLACE = /^\([^()]{0,80}\)$/u;

interface Overlap {
  /** Messages at the beginning that are the same in both. */
  readonly head: number;
  /** Where in the new transcript the end of the old one begins. */
  readonly to: number;
  readonly kept: number;
}

/** What of an old transcript stands in a new one: its beginning, and the longest end of it. */
function overlap(old: readonly string[], now: readonly string[]): Overlap {
  let head = 0;
  while (head < Math.min(old.length, now.length) && old[head] === now[head]) head += 1;
  for (let to = head; to < now.length; to += 1) {
    const kept = keptAt(old, now, { head, to });
    if (kept > 0) return { head, to, kept };
  }
  return { head, to: now.length, kept: 0 };
}

/** How many messages from the end of the old transcript stand at a place of the new one. */
function keptAt(old: readonly string[], now: readonly string[], { head, to }: Pick<Overlap, 'head' | 'to'>): number {
  for (let from = Math.max(head, old.length - (now.length - to)); from < old.length; from += 1) {
    if (old[from] === now[to] && old.slice(from).every((mark, offset) => mark === now[to + offset]))
      return old.length - from;
  }
  return 0;
}

function startsWith(marks: readonly string[], beginning: readonly string[]): boolean {
  return beginning.every((mark, index) => mark === marks[index]);
}
