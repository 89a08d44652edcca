import type { Todo } from '../../contract/run.ts';
import { shortLine } from './visible.ts';

const MARKS: Readonly<Record<Todo['status'], string>> = {
  pending: ' ',
  in_progress: '>',
  completed: 'x',
  blocked: '!',
};

/** One item of a plan: `[>] Write the report (Writing the report)`, `[!] Ask for leave (blocked)`. */
export function todoLine({ content, status, activeForm }: Todo, charactersMax = 160): string {
  const aside = { in_progress: activeForm, blocked: 'blocked', pending: undefined, completed: undefined }[status];
  const more = aside === undefined ? '' : ` (${shortLine(aside, charactersMax)})`;
  return `[${MARKS[status]}] ${shortLine(content, charactersMax)}${more}`;
}

/** How far a plan is: `(2/5 completed)`. */
export function todoCount(todos: readonly Todo[]): string {
  return `(${todos.filter(({ status }) => status === 'completed').length}/${todos.length} completed)`;
}

/** A plan in one line: how far it is, and what is being done. */
export function todosInOneLine(todos: readonly Todo[]): string {
  const active = todos.find(({ status }) => status === 'in_progress');
  const blocked = todos.filter(({ status }) => status === 'blocked').length;
  return [
    todoCount(todos),
    ...(active === undefined ? [] : [todoLine(active)]),
    ...(blocked === 0 ? [] : [`${blocked} blocked`]),
  ].join(' · ');
}
