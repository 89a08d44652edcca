import { checkSummaries } from './compaction.ts';
import { CompactionRefused, RequestRefused } from './refused.ts';
import type { WireBlock, WireMessage, WireRequest } from './request.ts';

/**
 * The rules of the Messages API about how messages follow each other. A transcript that breaks one is refused by
 * the real API at the worst time, hours into a run; here it is refused in the first test.
 */
export function checkMessages(request: Pick<WireRequest, 'messages' | 'betas' | 'compaction'>): void {
  const { messages, compaction } = request;
  checkSummaries(request);
  if (compaction !== null) checkFinished(messages);
  const seen = new Set<string>();
  messages.forEach((message, index) => {
    checkContent(message, index);
    for (const id of idsOf(message, 'tool_use', 'id')) {
      if (seen.has(id)) throw new RequestRefused(`messages.${index}: \`tool_use\` ids must be unique: ${id}`);
      seen.add(id);
    }
    if (message.role === 'assistant') checkAnswered(messages, index);
    else checkResults(messages, index);
  });
  if (compaction === null) checkLast(messages);
}

/** A summary may end with words of the model, but not in the middle of a turn. */
function checkFinished(messages: readonly WireMessage[]): void {
  const last = messages.at(-1);
  if (last?.role !== 'assistant' || (idsOf(last, 'tool_use', 'id').length === 0 && !isPaused(last.content))) return;
  throw new CompactionRefused('incomplete_turn', `messages.${messages.length - 1}: the last turn is not finished`);
}

function checkContent({ content, role }: WireMessage, index: number): void {
  if (content.length === 0) throw new RequestRefused(`messages.${index}: all messages must have non-empty content`);
  for (const [position, block] of content.entries()) {
    if (block.type === 'text' && (typeof block['text'] !== 'string' || block['text'] === '')) {
      throw new RequestRefused(`messages.${index}.content.${position}: text content blocks must be non-empty`);
    }
    const wrong = role === 'user' ? ['tool_use', 'thinking', 'redacted_thinking'] : ['tool_result'];
    if (wrong.includes(block.type)) {
      throw new RequestRefused(
        `messages.${index}.content.${position}: \`${block.type}\` blocks are not allowed in ${role} messages`,
      );
    }
  }
  if (hasLoneSurrogate(content)) {
    throw new RequestRefused(`messages.${index}: the text is not valid unicode: there is half of a surrogate pair`);
  }
}

function hasLoneSurrogate(value: unknown): boolean {
  let found = false;
  JSON.stringify(value, (_key, inner: unknown) => {
    found ||= typeof inner === 'string' && /\p{Surrogate}/u.test(inner);
    return inner;
  });
  return found;
}

function checkAnswered(messages: readonly WireMessage[], index: number): void {
  const asked = idsOf(messages[index], 'tool_use', 'id');
  const answered = new Set(idsOf(messages[index + 1], 'tool_result', 'tool_use_id'));
  const missing = asked.filter((id) => !answered.has(id));
  if (missing.length === 0) return;
  throw new RequestRefused(
    `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}. ` +
      'Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
  );
}

function checkResults(messages: readonly WireMessage[], index: number): void {
  const results = idsOf(messages[index], 'tool_result', 'tool_use_id');
  const asked = new Set(idsOf(messages[index - 1], 'tool_use', 'id'));
  const stray = results.find((id) => !asked.has(id));
  if (stray !== undefined)
    throw new RequestRefused(`messages.${index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray}`);
  if (new Set(results).size < results.length)
    throw new RequestRefused(`messages.${index}: each \`tool_use\` must have a single result`);
  const kinds = messages[index]?.content.map(({ type }) => type) ?? [];
  if (results.length > 0 && kinds.lastIndexOf('tool_result') >= results.length) {
    throw new RequestRefused(`messages.${index}: \`tool_result\` blocks must come first in the content of a message`);
  }
}

/** Only a turn that the server paused in the middle of its own work may be sent back as the last message. */
function checkLast(messages: readonly WireMessage[]): void {
  const last = messages.at(-1);
  if (last?.role !== 'assistant' || isPaused(last.content)) return;
  throw new RequestRefused('messages: this model does not support prefill: the last message must be from the user');
}

function isPaused(content: readonly WireBlock[]): boolean {
  const done = new Set(content.map((block) => block['tool_use_id']));
  return content.some((block) => block.type === 'server_tool_use' && !done.has(block['id']));
}

function idsOf(message: WireMessage | undefined, type: string, field: string): readonly string[] {
  return (message?.content ?? []).flatMap((block) => (block.type === type ? [String(block[field])] : []));
}
