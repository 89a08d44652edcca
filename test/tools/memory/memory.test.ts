import { mkdir, readFile, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TOOL_OUTPUT_CHARACTERS_MAX } from '../../../src/contract/limits.ts';
import { createMemoryTool } from '../../../src/tools/memory/memory.ts';
import { oneTool, type OneTool } from '../one-tool.ts';
import { temporaryFolder } from '../situation.ts';

interface Remembering extends OneTool {
  readonly folder: string;
  /** What the model reads. */
  readonly say: (input: object) => Promise<string>;
  readonly probe: (input: object) => Promise<string | undefined>;
}

async function remembering(): Promise<Remembering> {
  const top = await temporaryFolder();
  const tool = createMemoryTool({ folder: (agent) => join(top, 'memory', agent) });
  const one = await oneTool(tool);
  return {
    ...one,
    folder: join(top, 'memory', 'tester'),
    say: async (input) => (await one.run(input)).content,
    probe: async (input) => (await tool.probe?.(input, one.context))?.kind,
  };
}

const create = (path: string, file_text: string): object => ({ command: 'create', path, file_text });

describe('memory', () => {
  test('is kept from run to run, one for each agent', async () => {
    const { run, say, folder } = await remembering();
    await say(create('/memories/a.md', 'mine'));
    expect(await say({ command: 'view', path: '/memories/a.md' })).toBe(
      "Here's the content of /memories/a.md with line numbers:\n     1\tmine",
    );
    const other = await run({ command: 'view', path: '/memories/a.md' }, { agent: 'other' });
    expect(other).toMatchObject({ status: 'error', error: 'file_not_found' });
    expect(await readFile(join(folder, 'a.md'), 'utf8')).toBe('mine');
  });

  test('shows folders two levels deep, with sizes and without what is hidden', async () => {
    const { say, folder } = await remembering();
    expect(await say({ command: 'view', path: '/memories' })).toBe(
      "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n0B\t/memories",
    );
    await say(create('/memories/b/deep/c.md', 'x'.repeat(2_048)));
    await say(create('/memories/a.md', 'ä'));
    await say(create('/memories/.hidden', 'x'));
    await symlink('/etc', join(folder, 'etc'));
    expect((await say({ command: 'view', path: '/memories/' })).split('\n').slice(1)).toEqual([
      '2.0K\t/memories',
      '2B\t/memories/a.md',
      '2.0K\t/memories/b',
      '2.0K\t/memories/b/deep',
    ]);
    expect((await say({ command: 'view', path: '/memories/b' })).split('\n').slice(1)).toEqual([
      '2.0K\t/memories/b',
      '2.0K\t/memories/b/deep',
      '2.0K\t/memories/b/deep/c.md',
    ]);
  });

  const three = '/memories/three';
  const edits: [name: string, input: object, said: string | RegExp, after: string][] = [
    ['views a part', { command: 'view', view_range: [2, 3] }, /:\n {5}2\ttwo\n {5}3\tthree$/, 'one\ntwo\nthree\n'],
    ['views to the end', { command: 'view', view_range: [3, -1] }, /:\n {5}3\tthree$/, 'one\ntwo\nthree\n'],
    [
      'views nothing behind the end',
      { command: 'view', view_range: [9, -1] },
      /Invalid `view_range`/,
      'one\ntwo\nthree\n',
    ],
    [
      'replaces',
      { command: 'str_replace', old_str: 'two', new_str: '$& 2' },
      /has been edited.*\n {5}1\tone\n {5}2\t\$& 2\n {5}3\tthree$/,
      'one\n$& 2\nthree\n',
    ],
    ['removes a part', { command: 'str_replace', old_str: 'two\n' }, /has been edited/, 'one\nthree\n'],
    [
      'refuses to replace what is not there',
      { command: 'str_replace', old_str: 'four', new_str: '4' },
      'No replacement was performed, old_str `four` did not appear verbatim in /memories/three.',
      'one\ntwo\nthree\n',
    ],
    [
      'refuses to replace what is there twice',
      { command: 'str_replace', old_str: 'o', new_str: '0' },
      'No replacement was performed. Multiple occurrences of old_str `o` in lines: 1, 2. Please ensure it is unique',
      'one\ntwo\nthree\n',
    ],
    [
      'inserts at the start',
      { command: 'insert', insert_line: 0, insert_text: 'zero\n' },
      'The file /memories/three has been edited.',
      'zero\none\ntwo\nthree\n',
    ],
    [
      'inserts at the end',
      { command: 'insert', insert_line: 3, insert_text: 'a\nb' },
      /edited/,
      'one\ntwo\nthree\na\nb\n',
    ],
    [
      'refuses to insert behind the end',
      { command: 'insert', insert_line: 4, insert_text: 'x' },
      'Error: Invalid `insert_line` parameter: 4. It should be within the range of lines of the file: [0, 3]',
      'one\ntwo\nthree\n',
    ],
    [
      'refuses to create what is there',
      { command: 'create', file_text: 'other' },
      'Error: File /memories/three already exists',
      'one\ntwo\nthree\n',
    ],
    [
      'creates the same again',
      { command: 'create', file_text: 'one\ntwo\nthree\n' },
      /^File created/,
      'one\ntwo\nthree\n',
    ],
  ];
  test.each(edits)('%s', async (_name, input, said, after) => {
    const { say, folder } = await remembering();
    expect(await say(create(three, 'one\ntwo\nthree\n'))).toBe('File created successfully at: /memories/three');
    const answer = await say({ path: three, ...input });
    if (typeof said === 'string') expect(answer).toBe(said);
    else expect(answer).toMatch(said);
    expect(await readFile(join(folder, 'three'), 'utf8')).toBe(after);
  });

  test('deletes and renames files and folders, and nothing that is not there', async () => {
    const { say, folder } = await remembering();
    await say(create('/memories/a/b/c', 'x'));
    await say(create('/memories/d', 'y'));
    expect(await say({ command: 'rename', old_path: '/memories/a', new_path: '/memories/e/f' })).toBe(
      'Successfully renamed /memories/a to /memories/e/f',
    );
    expect(await say({ command: 'rename', old_path: '/memories/d', new_path: '/memories/e' })).toBe(
      'Error: The destination /memories/e already exists',
    );
    expect(await say({ command: 'rename', old_path: '/memories/no', new_path: '/memories/x' })).toBe(
      'Error: The path /memories/no does not exist',
    );
    expect(await say({ command: 'delete', path: '/memories/e' })).toBe('Successfully deleted /memories/e');
    expect(await say({ command: 'delete', path: '/memories/e' })).toBe('Error: The path /memories/e does not exist');
    expect(await readdir(folder)).toEqual(['d']);
    expect(await say({ command: 'delete', path: '/memories' })).toMatch(/^invalid_params/);
  });

  test.each([
    ['/etc/passwd'],
    ['/memories/../../outside/secret'],
    ['/memories/..'],
    ['/memories/a/../b'],
    ['/memoriesx/a'],
    ['memories/a'],
    ['../memories/a'],
    ['/memories/%2e%2e/%2e%2e/outside/secret'],
    ['/memories/a\0b'],
    ['/memories/link/secret'],
    ['/memories/file-link'],
    [`/memories/${'x/'.repeat(300)}`],
    ['/memories/.git/config'],
  ])('never leaves its folder by "%s"', async (path) => {
    const { run, say, folder } = await remembering();
    await say(create('/memories/mine', 'x'));
    const outside = join(folder, '..', '..', 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'secret'), 'secret');
    await symlink(outside, join(folder, 'link'));
    await symlink(join(outside, 'secret'), join(folder, 'file-link'));
    const commands = [
      { command: 'view', path },
      create(path, 'changed'),
      { command: 'str_replace', path, old_str: 'secret', new_str: 'changed' },
      { command: 'insert', path, insert_line: 0, insert_text: 'changed' },
      { command: 'rename', old_path: path, new_path: '/memories/got' },
      { command: 'rename', old_path: '/memories/mine', new_path: path },
    ];
    for (const command of commands) {
      const { content } = await run(command);
      expect(content).not.toContain('     1\tsecret');
    }
    await run({ command: 'delete', path });
    expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('secret');
    expect(await readdir(outside)).toEqual(['secret']);
  });

  test('is bounded in size, and says so', async () => {
    const { run, say, folder } = await remembering();
    expect(await say(create('/memories/a', 'x'.repeat(100 * 1_024)))).toMatch(/^File created/);
    expect(await say(create('/memories/b', 'x'.repeat(100 * 1_024 + 1)))).toMatch(/^invalid_params.*at most 100 KB/);
    expect(await say({ command: 'insert', path: '/memories/a', insert_line: 0, insert_text: 'x' })).toMatch(
      /at most 100 KB/,
    );
    const { content } = await run({ command: 'view', path: '/memories/a' });
    expect(content.length).toBeLessThanOrEqual(TOOL_OUTPUT_CHARACTERS_MAX);
    await Promise.all(Array.from({ length: 999 }, async (_, index) => await writeFile(join(folder, `f${index}`), '')));
    expect(await say(create('/memories/c', 'x'))).toMatch(/holds 1000 files already/);
    expect(await say({ command: 'str_replace', path: '/memories/f1', old_str: 'a' })).toMatch(/^No replacement/);
    expect((await say({ command: 'view', path: '/memories' })).length).toBeLessThanOrEqual(TOOL_OUTPUT_CHARACTERS_MAX);
  });

  test('is bounded in all', async () => {
    const { say, folder } = await remembering();
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'large'), 'x'.repeat(10 * 1_024 * 1_024 - 5));
    expect(await say(create('/memories/a', '12345'))).toMatch(/^File created/);
    expect(await say(create('/memories/b', '1'))).toMatch(/holds 10 MB already/);
  });

  test('loses none of many edits made at the same time', async () => {
    const { say, folder } = await remembering();
    await say(create('/memories/a', ''));
    const insert = { command: 'insert', path: '/memories/a', insert_line: 0 };
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => await say({ ...insert, insert_text: `${index}` })),
    );
    expect((await readFile(join(folder, 'a'), 'utf8')).trim().split('\n')).toHaveLength(20);
  });

  const probes: [name: string, input: object, happened: boolean][] = [
    ['a view', { command: 'view', path: '/memories/a' }, false],
    ['a creation', create('/memories/new', 'text'), true],
    ['a replacement', { command: 'str_replace', path: '/memories/a', old_str: 'one', new_str: 'two' }, true],
    ['an addition', { command: 'str_replace', path: '/memories/a', old_str: 'one', new_str: 'one, two' }, true],
    ['a removal', { command: 'str_replace', path: '/memories/a', old_str: 'one' }, true],
    ['an insertion', { command: 'insert', path: '/memories/a', insert_line: 1, insert_text: 'x\ny\n' }, true],
    ['a deletion', { command: 'delete', path: '/memories/a' }, true],
    ['a renaming', { command: 'rename', old_path: '/memories/a', new_path: '/memories/b' }, true],
  ];
  test.each(probes)('tells of %s whether it happened', async (_name, input, happened) => {
    const { say, probe } = await remembering();
    await say(create('/memories/a', 'one\nmore\n'));
    expect(await probe(input)).toBe('not_happened');
    await say(input);
    expect(await probe(input)).toBe(happened ? 'happened' : 'not_happened');
  });

  test.each([
    ['nothing', {}],
    ['no such command', { command: 'format', path: '/memories' }],
    ['a command without what it needs', { command: 'create', path: '/memories/a' }],
    ['a field that is none', { command: 'view', path: '/memories', recursive: true }],
    ['an empty text to replace', { command: 'str_replace', path: '/memories/a', old_str: '', new_str: 'x' }],
  ])('takes no input that is %s', async (_name, input) => {
    const { check } = await remembering();
    expect(await check(input)).toMatchObject({ problem: { kind: 'invalid_params' } });
  });

  test('is described to the model as one object, and asks nobody', async () => {
    const { context, check } = await remembering();
    expect(context.definitions[0]?.inputSchema).toMatchObject({ type: 'object', required: ['command'] });
    expect(await check({ command: 'view', path: '/memories' })).toMatchObject({
      summary: 'View memory /memories',
      touches: [],
    });
  });
});
