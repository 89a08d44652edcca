import type { AssistantMessage, Message } from '../../contract/messages.ts';
import { KIB } from '../../contract/limits.ts';
import { summariesIn } from '../aside/account.ts';
import { toolUses } from '../replies.ts';
import type { Run } from '../run.ts';
import { fitText, oneLine } from '../sizes.ts';
import { told } from '../told.ts';

/** What the rule-made account of the old turns may take. */
const ACCOUNT_BYTES_MAX = 24 * KIB;

/** What of that may tell of turns that were compacted before. */
const EARLIER_BYTES_MAX = 12 * KIB;

/** What was done in old turns, a line each, without asking a model. `old` begins with the conversation. */
export function accountByRule(run: Run, old: readonly Message[]): string {
  const lines = old.flatMap((message) =>
    message.role === 'assistant'
      ? linesOfReply(message)
      : (linesOfCompaction(run, message) ?? linesOfPeople(run, message)),
  );
  return fitText(lines.join('\n'), ACCOUNT_BYTES_MAX);
}

function linesOfReply(message: AssistantMessage): readonly string[] {
  const words = message.content.flatMap((block) =>
    block.type === 'text' ? [`- you said: ${oneLine(block.text, 300)}`] : [],
  );
  const calls = toolUses(message).map(
    ({ name, input }) => `- you called ${name} ${oneLine(JSON.stringify(input) ?? '', 200)}`,
  );
  return [...summariesIn(message).map(earlier), ...words, ...calls];
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

/**
 * What an earlier compaction told is kept but for what is told anew beside this account; null for every other message.
 * Runs that began before keepsakes were told have it among the words of people, and stay as they are.
 */
function linesOfCompaction({ spec }: Run, { content: [first] }: Message): readonly string[] | null {
  if (spec.compaction === undefined || first?.type !== 'text') return null;
  if (first.text.startsWith(told.taskAgain)) return [];
  return first.text.startsWith(told.compacted) ? [earlier(first.text.slice(told.compacted.length).trim())] : null;
}

function earlier(account: string): string {
  return fitText(account, EARLIER_BYTES_MAX);
}
