import type { AssistantMessage, Message } from '../../contract/messages.ts';
import { KIB } from '../../contract/limits.ts';
import { toolUses } from '../replies.ts';
import type { Run } from '../run.ts';
import { fitText, oneLine } from '../sizes.ts';

/** What the rule-made account of the old turns may take. */
const ACCOUNT_BYTES_MAX = 24 * KIB;

/** What was done in old turns, a line each, without asking a model. */
export function accountByRule(run: Run, old: readonly Message[]): string {
  const lines = old.flatMap((message) =>
    message.role === 'assistant' ? linesOfReply(message) : linesOfPeople(run, message),
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
