import { expect, test } from 'vitest';
import { replaced, snippet } from '../../../src/tools/memory/edits.ts';

const LONG = Array.from({ length: 60 }, (_, index) => `line ${index + 1}`).join('\n');

const edits: [name: string, edit: { old_str: string; new_str: string }, first: string, last: string][] = [
  ['is put in', { old_str: 'line 50', new_str: 'line 1' }, '46\tline 46', '54\tline 54'],
  ['is taken out', { old_str: 'line 50', new_str: '' }, '46\tline 46', '53\tline 53'],
];
test.each(edits)(
  'the place where a text %s is shown, though it stands elsewhere as well',
  (_name, edit, first, last) => {
    const edited = replaced(LONG, { command: 'str_replace', path: '/memories/long', ...edit });
    if (edited.kind === 'refused') throw new Error(edited.why);
    const lines = snippet(edited.text, edited.line, edit.new_str).split('\n');
    expect([lines.at(0)?.trim(), lines.at(-1)?.trim()]).toEqual([first, last]);
  },
);

test('a hundred of the lines in which a text stands are told, of a file that is nothing else', () => {
  const edit = { command: 'str_replace', path: '/memories/lines', old_str: '\n', new_str: '' } as const;
  expect(replaced('\n'.repeat(100_000), edit)).toEqual({
    kind: 'refused',
    why: expect.stringMatching(/in lines: 1, 2, .*, 100, …\. Please ensure it is unique$/),
  });
});
