import type { AssistantMessage, Message } from '../contract/messages.ts';
import {
  INBOX_DRAIN_BYTES,
  KIB,
  REPLY_BYTES_MAX,
  TRANSCRIPT_BYTES_MAX,
  TURN_RESULTS_BYTES_MAX,
} from '../contract/limits.ts';
import { stop } from './ending.ts';
import { toolUses } from './replies.ts';
import { note, type Run } from './run.ts';
import { fitText, jsonBytes, oneLine } from './sizes.ts';

/** Share of the model's window after which old turns are compacted. */
const WINDOW_SHARE = 0.6;

/** Share of the transcript's bytes that is kept word for word. */
const KEPT_SHARE = 0.5;

/** What the rule-made account of the old turns may take. */
const ACCOUNT_BYTES_MAX = 24 * KIB;

/** What one more turn can add at most: the reply, its results, and what people said. */
const TURN_ROOM_BYTES = REPLY_BYTES_MAX + TURN_RESULTS_BYTES_MAX + INBOX_DRAIN_BYTES;

/** The size at which the transcript must shrink, so that one more turn still fits into what is carried. */
const COMPACT_AT_BYTES = TRANSCRIPT_BYTES_MAX - TURN_ROOM_BYTES;

/**
 * Whether old turns must make room: the model said so, its window is filling, or the transcript is near the size
 * that a continuation may carry.
 */
export function needsCompaction(run: Run): boolean {
  if (run.messages.length <= 3) return false;
  return (
    run.compactionWanted ||
    run.windowTokens > run.spec.model.contextTokens * WINDOW_SHARE ||
    run.messageBytes > COMPACT_AT_BYTES
  );
}

/**
 * Replaces the older turns by an account of what was done in them. The task stays word for word, and so does the
 * newest share. Thinking is signed over everything before it, so at this boundary all of it is dropped.
 */
export function compact(run: Run, now: number): Run {
  const from = firstKept(run);
  const [task, ...rest] = run.messages;
  if (task === undefined || from <= 1)
    return stop(run, 'context', 'The conversation fills the window and cannot be made smaller');
  const old = rest.slice(0, from - 1);
  const head: Message = { role: 'user', content: [{ type: 'text', text: accountOf(run, old) }] };
  const messages = [headOf(run), head, ...run.messages.slice(from).map(withoutThinking)];
  const compacted: Run = {
    ...run,
    messages,
    messageBytes: messages.reduce((sum, message) => sum + jsonBytes(message), 0),
    windowTokens: 0,
    compactionWanted: false,
    // What was told of tools went with the old turns, and is told again when they are used again.
    instructed: [],
    compactions: run.compactions + 1,
  };
  const counts = { messagesBefore: run.messages.length, messagesAfter: messages.length };
  return note(compacted, now, { type: 'run.compacted', ...counts });
}

function headOf(run: Run): Message {
  return { role: 'user', content: [{ type: 'text', text: run.spec.task }] };
}

/** Index of the first message that is kept: an assistant's, so that no result is parted from its call. */
function firstKept(run: Run): number {
  const keep = Math.min(run.messageBytes, COMPACT_AT_BYTES) * KEPT_SHARE;
  let bytes = 0;
  let from = run.messages.length;
  for (let index = run.messages.length - 1; index > 0; index -= 1) {
    bytes += jsonBytes(run.messages[index]);
    if (bytes > keep && from < run.messages.length) break;
    if (run.messages[index]?.role === 'assistant') from = index;
  }
  return from;
}

function withoutThinking(message: Message): Message {
  if (message.role === 'user') return message;
  const content = message.content.filter(({ type }) => type !== 'thinking' && type !== 'redacted_thinking');
  return {
    role: 'assistant',
    content: content.length > 0 ? content : [{ type: 'text', text: '(thought without words)' }],
  };
}

function accountOf(run: Run, old: readonly Message[]): string {
  const lines = old.flatMap((message) =>
    message.role === 'assistant' ? linesOfReply(message) : linesOfPeople(run, message),
  );
  const intro = 'The earlier part of this conversation was compacted. What was done in it, in order:';
  return `${intro}\n${fitText(lines.join('\n'), ACCOUNT_BYTES_MAX)}`;
}

function linesOfReply(message: AssistantMessage): readonly string[] {
  const words = message.content.flatMap((block) =>
    block.type === 'text' ? [`- you said: ${oneLine(block.text, 300)}`] : [],
  );
  const calls = toolUses(message).map(
    ({ name, input }) => `- you called ${name} ${oneLine(JSON.stringify(input) ?? '', 200)}`,
  );
  return [...words, ...calls];
}

/** What people said is kept at length; results are kept as their first words. */
function linesOfPeople(run: Run, message: Message): readonly string[] {
  return message.content.flatMap((block) => {
    if (block.type === 'tool_result')
      return [`  → ${block.is_error === true ? 'failed: ' : ''}${oneLine(block.content, 160)}`];
    if (block.type !== 'text' || block.text === run.spec.task) return [];
    return [`- said to you: ${fitText(block.text, 2_000)}`];
  });
}
