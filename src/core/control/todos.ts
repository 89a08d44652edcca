import { TODOS_MAX } from '../../contract/control-tools.ts';
import type { Todo } from '../../contract/run.ts';
import { fieldsOf } from '../fields.ts';
import { oneLine } from '../sizes.ts';

const TEXT_CHARACTERS_MAX = 300;

const SHAPE =
  '{"items": [{"content": string, "status": "pending" | "in_progress" | "completed" | "blocked", "activeForm"?: string}]}';

/** What runs that began before version 0.3 were told to send: their tools are frozen with their spec. */
const EARLIER_STATUS: Readonly<Record<string, Todo['status']>> = {
  open: 'pending',
  doing: 'in_progress',
  done: 'completed',
};

const STATUSES: readonly unknown[] = ['pending', 'in_progress', 'completed', 'blocked'] satisfies Todo['status'][];

/** Reads the input of `todo`, which no worker validates; a text says what is wrong with it. */
export function readTodos(input: unknown): readonly Todo[] | string {
  const { items } = fieldsOf(input);
  if (!Array.isArray(items)) return `expected ${SHAPE}`;
  if (items.length > TODOS_MAX)
    return `expected at most ${TODOS_MAX} items, got ${items.length}; put small steps together`;
  const todos: Todo[] = [];
  for (const [index, item] of items.entries()) {
    const todo = readTodo(item);
    if (typeof todo === 'string') return `item ${index + 1}: ${todo}`;
    todos.push(todo);
  }
  const active = todos.filter(({ status }) => status === 'in_progress').length;
  return active > 1 ? `expected at most one item that is in_progress, got ${active}` : todos;
}

function readTodo(item: unknown): Todo | string {
  const { content, text, status, activeForm } = fieldsOf(item);
  const words = content ?? text;
  const known = typeof status === 'string' && Object.hasOwn(EARLIER_STATUS, status) ? EARLIER_STATUS[status] : status;
  if (typeof words !== 'string' || words.trim() === '') return 'expected a "content" that is not empty';
  if (!STATUSES.includes(known))
    return `expected a "status" of pending, in_progress, completed or blocked, got ${oneLine(JSON.stringify(status) ?? 'none', 40)}`;
  return {
    content: oneLine(words, TEXT_CHARACTERS_MAX),
    status: known as Todo['status'],
    ...(typeof activeForm === 'string' &&
      activeForm.trim() !== '' && { activeForm: oneLine(activeForm, TEXT_CHARACTERS_MAX) }),
  };
}

export function isActive({ status }: Todo): boolean {
  return status === 'pending' || status === 'in_progress';
}

const MARKS: Readonly<Record<Todo['status'], string>> = {
  pending: ' ',
  in_progress: '>',
  completed: 'x',
  blocked: '!',
};

/** `[x] Look`, `[>] Write (Writing the report)`, and last `(1/2 completed)`, a line each. */
export function renderTodos(todos: readonly Todo[]): readonly string[] {
  if (todos.length === 0) return [];
  const done = todos.filter(({ status }) => status === 'completed').length;
  const lines = todos.map(({ content, status, activeForm }) => {
    const doing = status === 'in_progress' && activeForm !== undefined ? ` (${activeForm})` : '';
    return `[${MARKS[status]}] ${content}${doing}`;
  });
  return [...lines, `(${done}/${todos.length} completed)`];
}
