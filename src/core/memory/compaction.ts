import type { CallModelResult } from '../../contract/activities.ts';
import type { Message } from '../../contract/messages.ts';
import type { Compaction } from '../../contract/terms.ts';
import {
  INBOX_DRAIN_BYTES,
  REPLY_BYTES_MAX,
  TRANSCRIPT_BYTES_MAX,
  TURN_RESULTS_BYTES_MAX,
} from '../../contract/limits.ts';
import { countCall } from '../apply-reply.ts';
import { stop } from '../ending.ts';
import { textOf } from '../replies.ts';
import { note, type Run } from '../run.ts';
import { jsonBytes } from '../sizes.ts';
import { told } from '../told.ts';
import { accountByRule } from './account-by-rule.ts';
import { keepsakes } from './keepsakes.ts';

/** What holds for runs whose spec says nothing of compaction. */
const EARLIER: Compaction = { windowShare: 0.6, keptShare: 0.5, by: 'rule' };

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
  return run.compactionWanted || run.messageBytes > COMPACT_AT_BYTES || isWindowFilling(run);
}

/**
 * Whether the window is filled past its share. Where the latest compaction left it nearly as full, or nothing can be made
 * smaller, there is no use in another: the run goes on until the model says that the conversation does not fit.
 */
function isWindowFilling(run: Run): boolean {
  const { windowShare, regrowthShare } = termsOf(run);
  const { contextTokens } = run.spec.model;
  if (run.windowTokens <= contextTokens * windowShare) return false;
  if (regrowthShare === undefined) return true;
  return run.windowTokens > run.windowFloor + contextTokens * regrowthShare && firstKept(run) > 1;
}

/** What is to be compacted: so many messages, from the first, and who writes the summary. */
export interface CompactionPlan {
  readonly messages: number;
  readonly by: Compaction['by'];
}

/** Plans a compaction at a turn's boundary. Where nothing can be made smaller, it takes no message. */
export function planCompaction(run: Run): CompactionPlan {
  const from = firstKept(run);
  return from <= 1 ? { messages: 0, by: 'rule' } : { messages: from, by: termsOf(run).by };
}

function termsOf({ spec }: Run): Compaction {
  return spec.compaction ?? EARLIER;
}

/** A summary of the old turns as a model wrote it; null where none could be had, and a rule writes it. */
export interface Summarised {
  readonly messages: number;
  readonly by: 'api' | 'model';
  readonly result: CallModelResult;
}

/**
 * Replaces the older turns by a summary of what was done in them. Task, plan, notes, outputs, open questions and the
 * words of people stay word for word, and so does the newest share. Thinking is signed over everything before it, so
 * at this boundary all of it is dropped, unless the API itself made the boundary.
 */
export function compact(run: Run, summarised: Summarised | null, now: number): Run {
  const from = summarised?.messages ?? firstKept(run);
  const counted = summarised === null ? run : countCall(run, summarised.result, 'compact');
  const messages = from <= 1 ? run.messages : compactedMessages(run, from, summarised);
  const messageBytes = messages.reduce((sum, message) => sum + jsonBytes(message), 0);
  if (from <= 1 || (messageBytes > COMPACT_AT_BYTES && messages.length >= run.messages.length))
    return stop(counted, 'context', 'The conversation fills the window and cannot be made smaller');
  const compacted: Run = {
    ...counted,
    messages,
    messageBytes,
    windowTokens: 0,
    compactionWanted: false,
    // What was told of tools and found by reads went with the old turns; it is told again when it is wanted again.
    instructed: [],
    reads: [],
    compactions: run.compactions + 1,
  };
  const counts = { messagesBefore: run.messages.length, messagesAfter: messages.length };
  return note(compacted, now, { type: 'run.compacted', ...counts, ...(summarised !== null && { by: summarised.by }) });
}

/**
 * The summary in place of the old turns, and the newest. A block that the API signed must come before everything else and
 * the kept turns right behind it, unchanged: then their thinking still fits.
 */
function compactedMessages(run: Run, from: number, summarised: Summarised | null): readonly Message[] {
  const newest = run.messages.slice(from);
  const kept = keepsakes(run, newest);
  const { task } = run.spec;
  if (summarised?.by === 'api') {
    const again = [`${told.taskAgain}\n${task}`, kept].filter((part) => part !== '');
    return [summarised.result.message, ...newest, userMessage(...again)];
  }
  const account =
    summarised === null ? accountByRule(run, run.messages.slice(0, from)) : textOf(summarised.result.message);
  const head = [`${told.compacted}\n${account}`, kept].filter((part) => part !== '');
  return [userMessage(task), userMessage(...head), ...newest.map(withoutThinking)];
}

function userMessage(...texts: readonly string[]): Message {
  return { role: 'user', content: texts.map((text) => ({ type: 'text', text })) };
}

/**
 * Index of the first message that is kept: an assistant's, so that no result is parted from its call, and with at most
 * the share that is to be kept behind it, in messages as in bytes.
 */
function firstKept(run: Run): number {
  const { keptShare, regrowthShare } = termsOf(run);
  const from = firstWithin(run, keptShare);
  // A share that would keep everything gives way to the newest turn alone.
  return from > 1 || regrowthShare === undefined ? from : firstWithin(run, 0);
}

function firstWithin(run: Run, keptShare: number): number {
  const bytesMax = Math.min(run.messageBytes, COMPACT_AT_BYTES) * keptShare;
  const messagesMax = run.messages.length * keptShare;
  let bytes = 0;
  let from = run.messages.length;
  for (let index = run.messages.length - 1; index > 0; index -= 1) {
    bytes += jsonBytes(run.messages[index]);
    const isTooMuch = bytes > bytesMax || run.messages.length - index > Math.max(2, messagesMax);
    if (isTooMuch && from < run.messages.length) break;
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
