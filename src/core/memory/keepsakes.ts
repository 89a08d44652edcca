import type { Message } from '../../contract/messages.ts';
import { renderTodos } from '../control/todos.ts';
import type { Instruction, Run } from '../run.ts';
import { missingOutputs } from '../control/outputs.ts';

/**
 * What outlasts a compaction word for word: the plan, notes, outputs, open questions and what people said that does not
 * stand in the messages that are kept.
 */
export function keepsakes(run: Run, kept: readonly Message[]): string {
  if (run.spec.compaction === undefined) return '';
  const parts = [
    part('Your plan', run.plan === '' ? [] : [run.plan]),
    part('Your list', renderTodos(run.todos)),
    part('Your notes', run.notes === '' ? [] : [run.notes]),
    part('Outputs delivered', outputsOf(run)),
    part('Outputs still missing', missingOutputs(run)),
    part('Questions to people that are still open', questionsOf(run)),
    part('What people told you', wordsOf(run, kept)),
  ];
  return parts.filter((text) => text !== '').join('\n\n');
}

function part(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `## ${title}\n${lines.join('\n')}`;
}

function outputsOf({ outputs }: Run): readonly string[] {
  return Object.entries(outputs).map(([name, value]) => `- ${name}: ${JSON.stringify(value)}`);
}

function questionsOf({ approvals }: Run): readonly string[] {
  return approvals.filter(({ status }) => status === 'open').map(({ title }) => `- ${title}`);
}

function wordsOf({ instructions }: Run, kept: readonly Message[]): readonly string[] {
  return instructions.filter((one) => !kept.some((message) => stillSays(message, one))).map(spoken);
}

function spoken({ by, text, asked }: Instruction): string {
  return asked === undefined ? `${by} says: ${text}` : `Asked "${asked.title}": ${text}`;
}

/** Whether a message has it word for word: an answer as the result of its call, or as it was told again since. */
function stillSays({ content }: Message, one: Instruction): boolean {
  return content.some((block) => {
    if (block.type === 'tool_result') return block.tool_use_id === one.asked?.callId;
    return block.type === 'text' && `\n${block.text}\n`.includes(`${linesOf(one)}\n`);
  });
}

/** As it stands among other lines; unasked words may follow another beginning than ours. */
function linesOf(one: Instruction): string {
  return one.asked === undefined ? `says: ${one.text}` : `\n${spoken(one)}`;
}
