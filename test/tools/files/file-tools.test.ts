import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TOOL_OUTPUT_CHARACTERS_MAX } from '../../../src/contract/limits.ts';
import { clip, createHeadTail } from '../../../src/tools/clip.ts';
import { oneLine } from '../../../src/tools/one-line.ts';
import { safeName } from '../../../src/tools/safe-name.ts';
import { situation } from '../situation.ts';

const tenLines = Array.from({ length: 10 }, (_, index) => `line ${index + 1}\n`).join('');

describe('read_file', () => {
  test.each([
    ['a whole file', {}, tenLines],
    ['the first lines', { limit: 2 }, 'line 1\nline 2\n[Lines 1 to 2 of 10.]'],
    ['lines in the middle', { offset: 4, limit: 2 }, 'line 4\nline 5\n[Lines 4 to 5 of 10.]'],
    ['the last lines', { offset: 10, limit: 50 }, 'line 10\n[Lines 10 to 10 of 10.]'],
  ])('gives %s', async (_name, window, expected) => {
    const { root, run } = await situation();
    await writeFile(join(root, 'a.txt'), tenLines);
    expect(await run('read_file', { path: 'a.txt', ...window })).toMatchObject({
      status: 'success',
      content: expected,
    });
  });

  test('says so when a file is empty, has no such line or is binary', async () => {
    const { root, run } = await situation();
    await writeFile(join(root, 'empty'), '');
    await writeFile(join(root, 'short'), 'one\ntwo');
    await writeFile(join(root, 'binary'), Buffer.from([1, 0, 2]));
    expect((await run('read_file', { path: 'empty' })).content).toBe('[The file is empty.]');
    expect((await run('read_file', { path: 'short' })).content).toBe('one\ntwo');
    expect(await run('read_file', { path: 'short', offset: 3 })).toMatchObject({
      status: 'error',
      error: 'invalid_params',
      content: 'invalid_params: Cannot read "short" from line 3: it has 2 lines',
    });
    expect(await run('read_file', { path: 'binary' })).toMatchObject({ status: 'error', error: 'execution_failed' });
    expect(await run('read_file', { path: 'none' })).toMatchObject({
      error: 'file_not_found',
      content: 'file_not_found: Cannot read "none": it does not exist',
    });
  });

  test('gives head and tail of a line that is far too long, and never half a character', async () => {
    const { root, run } = await situation();
    await writeFile(join(root, 'long'), `start${'🙂'.repeat(3_000_000)}end`);
    const { content, status } = await run('read_file', { path: 'long' });
    expect(status).toBe('success');
    expect(content.length).toBeLessThanOrEqual(TOOL_OUTPUT_CHARACTERS_MAX);
    expect(content).toMatch(/^start🙂.*characters are left out here.*🙂end$/su);
    expect(Buffer.from(content).toString()).toBe(content);
  });
});

describe('write_file', () => {
  test('is the same when done twice', async () => {
    const { root, run } = await situation();
    for (let times = 0; times < 2; times += 1) {
      expect(await run('write_file', { path: 'new/a.txt', content: 'ä' })).toMatchObject({
        status: 'success',
        content: 'Wrote 2 bytes to new/a.txt.',
      });
    }
    expect(await readFile(join(root, 'new/a.txt'), 'utf8')).toBe('ä');
  });

  test('is held to the real path by the grant it runs under', async () => {
    const { root, outside, run } = await situation();
    await mkdir(join(root, 'private'));
    await mkdir(join(root, 'reports'));
    await symlink('../private', join(root, 'reports', 'way'));
    const permits = (path: string): boolean => path.startsWith('reports/');
    expect(await run('write_file', { path: 'reports/a', content: 'x' }, { permits })).toMatchObject({
      status: 'success',
    });
    expect(await run('write_file', { path: 'reports/way/a', content: 'x' }, { permits })).toMatchObject({
      error: 'permission_denied',
    });
    expect(await run('write_file', { path: '../outside/a', content: 'x' }, { permits })).toMatchObject({
      error: 'path_not_in_workspace',
    });
    expect(await readFile(join(outside, 'a'), 'utf8').catch(() => 'none')).toBe('none');
  });
});

describe('edit_file', () => {
  const text = 'one\ntwo $& two\nthree aaa\n';
  const cases: [name: string, edit: object, expected: string | RegExp][] = [
    ['replaces the one occurrence', { old: 'three', new: '3' }, 'one\ntwo $& two\n3 aaa\n'],
    ['takes the new text literally', { old: 'one', new: '$& $1 $$' }, '$& $1 $$\ntwo $& two\nthree aaa\n'],
    ['deletes when the new text is empty', { old: 'one\n', new: '' }, 'two $& two\nthree aaa\n'],
    ['replaces all when told to', { old: 'two', new: '2', all: true }, 'one\n2 $& 2\nthree aaa\n'],
    ['refuses text that is not there', { old: 'four', new: '4' }, /the old text is not in it$/],
    ['refuses text that is there twice', { old: 'two', new: '2' }, /occurs more than once/],
    ['counts overlapping occurrences as several', { old: 'aa', new: 'b' }, /occurs more than once/],
    ['refuses an edit that changes nothing', { old: 'one', new: 'one' }, /old and new are the same/],
    ['refuses to replace nothing', { old: '', new: 'x' }, /^invalid_params/],
  ];
  test.each(cases)('%s', async (_name, edit, expected) => {
    const { root, run } = await situation();
    await writeFile(join(root, 'a.txt'), text);
    const { content, status } = await run('edit_file', { path: 'a.txt', ...edit });
    const after = await readFile(join(root, 'a.txt'), 'utf8');
    expect(status).toBe(typeof expected === 'string' ? 'success' : 'error');
    if (typeof expected === 'string') return expect(after).toBe(expected);
    expect(content).toMatch(expected);
    expect(after).toBe(text);
  });

  test('makes no file that is larger than what can be edited', async () => {
    const { root, run } = await situation();
    await writeFile(join(root, 'a.txt'), 'a'.repeat(20_000));
    const edit = { path: 'a.txt', old: 'a', new: 'b'.repeat(20_000), all: true };
    expect((await run('edit_file', edit)).content).toMatch(/^invalid_params: .* would become larger than 16 MiB$/);
  });

  test('keeps a byte order mark and the line ends, and hints at them', async () => {
    const { root, run } = await situation();
    await writeFile(join(root, 'a.txt'), '\uFEFFone\r\ntwo\r\n');
    expect((await run('edit_file', { path: 'a.txt', old: 'one\ntwo', new: 'x' })).content).toContain(
      'its lines end with \\r\\n',
    );
    await run('edit_file', { path: 'a.txt', old: 'one', new: '1' });
    expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('\uFEFF1\r\ntwo\r\n');
  });
});

describe('ls', () => {
  test('lists sorted, marks folders and shows where links point', async () => {
    const { root, run } = await situation();
    await mkdir(join(root, 'b'));
    await Promise.all([
      writeFile(join(root, 'a'), ''),
      writeFile(join(root, '.env'), ''),
      writeFile(join(root, 'new\nline'), ''),
      symlink('/etc', join(root, 'c')),
    ]);
    expect((await run('ls', {})).content).toBe('.env\na\nb/\nc -> /etc\nnew ⏎ line');
    expect((await run('ls', { path: 'b' })).content).toBe('[The folder is empty.]');
    expect(await run('ls', { path: 'c' })).toMatchObject({ error: 'path_not_in_workspace' });
    expect(await run('ls', { path: 'a' })).toMatchObject({ status: 'error' });
  });

  test('stops at a thousand entries and says so', async () => {
    const { root, run } = await situation();
    await Promise.all(Array.from({ length: 1_001 }, async (_, index) => await writeFile(join(root, `${index}`), '')));
    expect((await run('ls', {})).content).toMatch(/more than 1000 entries/);
  });
});

describe('texts', () => {
  test('clipped text is at most as long as told, keeps head and tail and never splits a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 600 }), fc.integer({ min: 150, max: 400 }), (text, max) => {
        const clipped = clip(text, max);
        expect(clipped.length).toBeLessThanOrEqual(max);
        expect(Buffer.from(clipped).toString()).toBe(clipped);
        if (text.length <= max) expect(clipped).toBe(text);
      }),
    );
  });

  test('a word is not cut in two, since half a secret would not be known as one', () => {
    const words = Array.from({ length: 400 }, (_, index) => `word-${index}-end`);
    const clipped = clip(words.join(' '), 3_000).split('\n');
    const [head = '', , tail = ''] = clipped;
    expect([...head.split(' '), ...tail.split(' ')].filter((word) => word !== '' && !words.includes(word))).toEqual([]);
    expect(clip('x'.repeat(4_000), 3_000)).toMatch(/^x{1450}\n.*\nx{1450}$/);
  });

  test('text added in pieces is kept as if added at once', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 90 })), fc.integer({ min: 150, max: 300 }), (parts, max) => {
        const kept = createHeadTail(max);
        for (const part of parts) kept.add(part);
        expect(kept.text()).toBe(clip(parts.join(''), max));
      }),
    );
  });

  test('a line for people shows what would deceive them', () => {
    expect(oneLine('rm\u202E x\u200B\n\u001B[2J', 100)).toBe('rm\\u{202e} x\\u{200b} ⏎ \\u{1b}[2J');
    expect(oneLine('x'.repeat(500), 200)).toHaveLength(200);
  });

  test('any two keys have different file names, also without regard to case', () => {
    const key = fc.oneof(
      fc.string(),
      fc.constantFrom('a', 'A', 'a/b', 'a-b', 'x'.repeat(101), '..', '.', '', '../../etc', 'a.claim', '\0'),
    );
    fc.assert(
      fc.property(key, key, (a, b) => {
        expect(safeName(a)).toMatch(/^[a-z0-9_~-]{1,100}$/);
        expect(safeName(a) === safeName(b)).toBe(a === b);
      }),
    );
  });
});
