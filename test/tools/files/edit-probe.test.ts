import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { situation } from '../situation.ts';

test.each<[string, string, { old: string; new: string }, string]>([
  ['still holds the old text', 'a old b', { old: 'old', new: 'young' }, 'not_happened'],
  ['holds the new text only', 'a young b', { old: 'old', new: 'young' }, 'happened'],
  ['holds neither', 'a b', { old: 'old', new: 'young' }, 'unknown'],
  ['holds both', 'young old', { old: 'old', new: 'young' }, 'unknown'],
  ['holds a new text in which the old one stands', 'older', { old: 'old', new: 'older' }, 'unknown'],
  ['was to lose the text, and has', 'a b', { old: 'old', new: '' }, 'unknown'],
])('after a lost edit, a file that %s tells what it can', async (_name, text, edit, expected) => {
  const { registry, context, root } = await situation();
  await writeFile(join(root, 'f.txt'), text);
  const probed = await registry.probe({ name: 'edit_file', input: { path: 'f.txt', ...edit } }, context);
  expect(probed.kind).toBe(expected);
});

test('a file that is gone tells nothing', async () => {
  const { registry, context } = await situation();
  const call = { name: 'edit_file', input: { path: 'gone.txt', old: 'a', new: 'b' } };
  expect(await registry.probe(call, context)).toEqual({ kind: 'unknown' });
});
