import { execFile } from 'node:child_process';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { situation, type Situation } from '../situation.ts';

async function prepared(): Promise<Situation> {
  const made = await situation();
  const { root, outside } = made;
  const files: Record<string, string> = {
    'a.ts': 'const needle = 1;\nconst other = 2;\n',
    'src/b.ts': 'needle\n',
    'src/deep/c.md': 'Needle\n',
    '.env': 'needle\n',
    'ignored/x.ts': 'needle\n',
    '.git/config': 'needle\n',
    '.nightshift/x.ts': 'needle\n',
    'binary.ts': 'needle\0\n',
    '-x.ts': 'needle\n',
    '.gitignore': 'ignored\n',
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(root, path, '..'), { recursive: true });
    await writeFile(join(root, path), text);
  }
  await promisify(execFile)('git', ['init', '-q'], { cwd: root }).catch(() => {});
  await writeFile(join(root, '.git', 'HEAD'), 'ref: refs/heads/main\n');
  await writeFile(join(outside, 'secret.ts'), 'needle\n');
  await symlink(outside, join(root, 'out'));
  return made;
}

describe('grep', () => {
  const cases: [name: string, input: object, expected: string][] = [
    [
      'finds lines in all files but hidden, ignored and binary ones',
      { pattern: 'needle' },
      '-x.ts:1:needle\n.env:1:needle\na.ts:1:const needle = 1;\nsrc/b.ts:1:needle',
    ],
    ['takes paths from the root when it searches a folder', { pattern: 'needle', path: 'src' }, 'src/b.ts:1:needle'],
    ['searches one file', { pattern: 'n', path: 'a.ts' }, 'a.ts:1:const needle = 1;\na.ts:2:const other = 2;'],
    ['ignores case', { pattern: 'NEEDLE', path: 'src', ignoreCase: true }, 'src/b.ts:1:needle\nsrc/deep/c.md:1:Needle'],
    ['keeps to a pattern for paths', { pattern: 'eedle', glob: '*.md' }, 'src/deep/c.md:1:Needle'],
    [
      'shows lines around a match',
      { pattern: 'other', path: 'a.ts', context: 1 },
      'a.ts-1-const needle = 1;\na.ts:2:const other = 2;',
    ],
    ['says so when nothing matches', { pattern: 'absent' }, '[No line matches.]'],
    [
      'never looks into .git or .nightshift, even when asked to',
      { pattern: 'needle', glob: '.git/**' },
      '[No line matches.]',
    ],
    [
      'shows as many lines as wanted',
      { pattern: 'needle', maxResults: 1 },
      '-x.ts:1:needle\n[Only the first 1 lines are shown; use a narrower pattern or path.]',
    ],
  ];
  test.each(cases)('%s', async (_name, input, expected) => {
    const { run } = await prepared();
    expect(await run('grep', input)).toMatchObject({ status: 'success', content: expected });
  });

  test.each([
    ['pattern', { pattern: '--pre=touch pwned' }],
    ['pattern', { pattern: '-f/etc/passwd' }],
    ['pattern', { pattern: '--', path: 'src' }],
    ['glob', { pattern: 'x', glob: '--pre=./run' }],
    ['path', { pattern: 'needle', path: '-x.ts' }],
  ])('never takes a %s for an option: %j', async (_name, input) => {
    const { run, root } = await prepared();
    const before = await readdir(root);
    const { content } = await run('grep', input);
    expect(content).toMatch(/^(\[No line matches\.\]|-x\.ts:1:needle)$/);
    expect(await readdir(root)).toEqual(before);
  });

  test('passes on what is wrong with a pattern', async () => {
    const { run } = await prepared();
    const result = await run('grep', { pattern: '(unclosed' });
    expect(result).toMatchObject({ status: 'error', error: 'invalid_params' });
    expect(result.content).toContain('unclosed group');
    expect(await run('grep', { pattern: 'x', glob: '[' })).toMatchObject({ error: 'invalid_params' });
    expect(await run('grep', { pattern: String.raw`(a)\1` })).toMatchObject({ error: 'invalid_params' });
  });

  test('is not held up by patterns that stall other engines', async () => {
    const { run, root } = await prepared();
    await writeFile(join(root, 'a.txt'), `${'a'.repeat(200_000)}!\n`);
    expect(await run('grep', { pattern: '^(a+)+$', path: 'a.txt' })).toMatchObject({
      status: 'success',
      content: '[No line matches.]',
    });
  });

  test('stays inside the workspace', async () => {
    const { run } = await prepared();
    for (const path of ['out', 'out/secret.ts', '..', '/etc']) {
      expect(await run('grep', { pattern: 'needle', path })).toMatchObject({ error: 'path_not_in_workspace' });
    }
    expect(await run('grep', { pattern: 'x', path: 'none' })).toMatchObject({ error: 'file_not_found' });
  });
});

describe('glob', () => {
  const cases: [pattern: string, path: string, expected: string][] = [
    ['*.ts', '.', '-x.ts\na.ts\nbinary.ts\nsrc/b.ts'],
    ['src/**/*.md', '.', 'src/deep/c.md'],
    ['*.md', 'src', 'src/deep/c.md'],
    ['.git/**', '.', '[No file matches.]'],
    ['--pre=x', '.', '[No file matches.]'],
    ['../**', '.', '[No file matches.]'],
  ];
  test.each(cases)('%s in %s', async (pattern, path, expected) => {
    const { run } = await prepared();
    expect(await run('glob', { pattern, path })).toMatchObject({ status: 'success', content: expected });
  });

  test('passes on what is wrong with a pattern and stays inside', async () => {
    const { run } = await prepared();
    expect(await run('glob', { pattern: '[' })).toMatchObject({ error: 'invalid_params' });
    expect(await run('glob', { pattern: '*', path: 'out' })).toMatchObject({ error: 'path_not_in_workspace' });
  });
});

test('a search that is cancelled ends at once with the reason', async () => {
  const { run } = await prepared();
  const reason = new Error('the person cancelled');
  await expect(run('grep', { pattern: 'x' }, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});
