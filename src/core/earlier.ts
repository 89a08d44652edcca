import { readTodos } from './control/todos.ts';
import { fieldsOf } from './fields.ts';
import type { Run } from './run.ts';

/**
 * What a run of a version before 0.3 carried under other names or in other shapes: a plan whose items had a `text`, and
 * a mark that the work was to be judged.
 */
export function fromEarlier(carried: unknown): Partial<Run> {
  const { todos, toReflect } = fieldsOf(carried);
  const read = readTodos({ items: Array.isArray(todos) ? todos.slice(0, TODOS_READ) : [] });
  return {
    ...(typeof read !== 'string' && { todos: read }),
    ...(toReflect === true && { reflectOn: 'critique' as const }),
  };
}

/** A longer plan than is taken now is cut rather than lost. */
const TODOS_READ = 12;
