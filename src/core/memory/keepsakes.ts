import { renderTodos } from '../control/todos.ts';
import type { Run } from '../run.ts';
import { missingOutputs } from '../control/outputs.ts';

/**
 * What outlasts a compaction word for word: the plan, notes, outputs, open questions and what people said in turns that
 * are not kept. `messagesKept` of the transcript stand behind it.
 */
export function keepsakes(run: Run, messagesKept: number): string {
  if (run.spec.compaction === undefined) return '';
  const parts = [
    part('Your plan', run.plan === '' ? [] : [run.plan]),
    part('Your list', renderTodos(run.todos)),
    part('Your notes', run.notes === '' ? [] : [run.notes]),
    part('Outputs delivered', outputsOf(run)),
    part('Outputs still missing', missingOutputs(run)),
    part('Questions to people that are still open', questionsOf(run)),
    part('What people told you', wordsOf(run, messagesKept)),
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

/** Words of people are kept with the newest turns anyway; only those of older turns are repeated. */
function wordsOf({ instructions, messages, turn }: Run, messagesKept: number): readonly string[] {
  const kept = messagesKept === 0 ? [] : messages.slice(-messagesKept);
  const turnsKept = kept.filter(({ role }) => role === 'assistant').length;
  return instructions.filter((one) => one.turn <= turn - turnsKept).map(({ by, text }) => `${by} says: ${text}`);
}
