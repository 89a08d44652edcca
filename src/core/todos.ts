import { TODOS_MAX } from '../contract/control-tools.ts';
import type { Todo } from '../contract/run.ts';
import { oneLine } from './sizes.ts';

const TEXT_CHARACTERS_MAX = 300;

/** Reads the input of `todo`, which no worker validates; a text says what is wrong with it. */
export function readTodos(input: unknown): readonly Todo[] | string {
  const items = (typeof input === 'object' && input !== null ? input : {}) as { items?: unknown };
  if (!Array.isArray(items.items)) return 'expected {"items": [{"text": string, "status": "open" | "doing" | "done"}]}';
  if (items.items.length > TODOS_MAX) return `expected at most ${TODOS_MAX} items`;
  const todos = items.items.map(readTodo);
  return todos.every((todo) => todo !== null)
    ? todos
    : 'each item needs a "text" and a "status" of open, doing or done';
}

function readTodo(item: unknown): Todo | null {
  const { text, status } = (typeof item === 'object' && item !== null ? item : {}) as Record<string, unknown>;
  if (typeof text !== 'string' || text.trim() === '') return null;
  if (status !== 'open' && status !== 'doing' && status !== 'done') return null;
  return { text: oneLine(text.trim(), TEXT_CHARACTERS_MAX), status };
}

/** What the model is told of its list. */
export function todosText(todos: readonly Todo[]): string {
  const done = todos.filter(({ status }) => status === 'done').length;
  return `The list has ${todos.length} items, ${done} of them done.`;
}
