import { expect, test } from 'vitest';
import { fromEarlier } from '../../src/core/earlier.ts';

test.each([
  ['nothing', undefined, { todos: [] }],
  [
    'a plan of today',
    { todos: [{ content: 'a', status: 'pending' }] },
    { todos: [{ content: 'a', status: 'pending' }] },
  ],
  [
    'a plan of before',
    { todos: [{ text: 'a', status: 'doing' }] },
    { todos: [{ content: 'a', status: 'in_progress' }] },
  ],
  ['a mark that the work was to be judged', { todos: [], toReflect: true }, { todos: [], reflectOn: 'critique' }],
  ['a mark that it was not', { todos: [], toReflect: false }, { todos: [] }],
])('a run that carried %s goes on with it', (_name, carried, expected) => {
  expect(fromEarlier(carried)).toEqual(expected);
});
