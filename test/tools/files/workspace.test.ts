import { execFile } from 'node:child_process';
import { chmod, link, mkdir, readFile, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { openWorkspace } from '../../../src/tools/files/workspace.ts';
import type { Anchoring } from '../../../src/tools/files/anchor.ts';
import { situation, temporaryFolder } from '../situation.ts';

const anchorings: Anchoring[] = process.platform === 'linux' ? ['descriptor', 'comparison'] : ['comparison'];
const permits = (): boolean => true;

describe.each(anchorings)('a workspace held by %s', (anchoring) => {
  async function prepared(): Promise<{
    root: string;
    outside: string;
    workspace: Awaited<ReturnType<typeof openWorkspace>>;
  }> {
    const { root, outside } = await situation();
    await writeFile(join(outside, 'secret.txt'), 'secret');
    await mkdir(join(root, 'sub'));
    await writeFile(join(root, 'sub', 'file.txt'), 'inside');
    await symlink('../outside', join(root, 'out'));
    await symlink(outside, join(root, 'out-absolute'));
    await symlink('out/secret.txt', join(root, 'chain-1'));
    await symlink('chain-1', join(root, 'chain-2'));
    await symlink('loop-b', join(root, 'loop-a'));
    await symlink('loop-a', join(root, 'loop-b'));
    await symlink('../outside/new.txt', join(root, 'dangling'));
    await symlink('sub', join(root, 'inner'));
    await symlink('.', join(root, 'self'));
    return { root, outside, workspace: await openWorkspace(root, anchoring) };
  }

  const escapes = [
    '../outside/secret.txt',
    '/etc/hostname',
    'sub/../../outside/secret.txt',
    'out/secret.txt',
    'out-absolute/secret.txt',
    'chain-1',
    'chain-2',
    'self/self/out/secret.txt',
    '../workspace-evil/x',
    'out',
    'dangling',
    '..',
    '/',
  ];
  test.each(escapes)('neither reads, lists nor writes "%s"', async (path) => {
    const { workspace, outside } = await prepared();
    const error = { kind: 'path_not_in_workspace' };
    await expect(workspace.readText(path)).rejects.toMatchObject(error);
    await expect(workspace.writeText(path, { text: 'x', permits })).rejects.toMatchObject(error);
    await expect(workspace.list(`${path}/.`, 10)).rejects.toMatchObject({ name: 'ToolError' });
    expect(await readdir(outside)).toEqual(['secret.txt']);
    expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe('secret');
  });

  test.each([
    ['a NUL', 'a\0b', 'invalid_params'],
    ['a very long name', 'x'.repeat(300), 'invalid_params'],
    ['a very long path', 'x/'.repeat(5_000), 'invalid_params'],
    ['a loop of links', 'loop-a', 'path_not_in_workspace'],
    ['a folder', 'sub', 'invalid_params'],
    ['the root', '.', 'invalid_params'],
    ['a path through a file', 'sub/file.txt/x', 'file_not_found'],
  ])('refuses %s with a word for it', async (_name, path, kind) => {
    const { workspace } = await prepared();
    await expect(workspace.readText(path)).rejects.toMatchObject({ kind });
    await expect(workspace.writeText(path, { text: 'x', permits })).rejects.toMatchObject({ name: 'ToolError' });
  });

  test('reads through links that stay inside, and by its absolute name', async () => {
    const { workspace, root } = await prepared();
    const paths = [
      'sub/file.txt',
      'inner/file.txt',
      'self/inner/file.txt',
      join(root, 'sub/file.txt'),
      './sub//file.txt',
      'none/../sub/file.txt',
    ];
    for (const path of paths) {
      expect(await workspace.readText(path)).toBe('inside');
      expect(await workspace.relative(path)).toBe('sub/file.txt');
    }
    expect(await workspace.relative('self')).toBe('');
    expect(await workspace.relative('inner/new/deep.txt')).toBe('sub/new/deep.txt');
    expect(await workspace.relative('.')).toBe('');
  });

  test('can be opened and addressed through a link to it', async () => {
    const { root } = await prepared();
    const alias = `${root}-alias`;
    await symlink(root, alias);
    const workspace = await openWorkspace(alias, anchoring);
    expect(workspace.root).toBe(root);
    expect(await workspace.readText(join(alias, 'sub/file.txt'))).toBe('inside');
  });

  test('writes new files with the folders above them, also of unusual names', async () => {
    const { workspace, root } = await prepared();
    expect(await workspace.writeText('inner/ä/日本/🙂 file', { text: 'new', permits })).toBe('sub/ä/日本/🙂 file');
    expect(await readFile(join(root, 'sub/ä/日本/🙂 file'), 'utf8')).toBe('new');
  });

  test('replaces a file whole, keeps its mode and leaves no temporary file', async () => {
    const { workspace, root } = await prepared();
    await chmod(join(root, 'sub/file.txt'), 0o750);
    await workspace.writeText('sub/file.txt', { text: 'changed', permits });
    expect(await readFile(join(root, 'sub/file.txt'), 'utf8')).toBe('changed');
    expect((await stat(join(root, 'sub/file.txt'))).mode & 0o777).toBe(0o750);
    expect(await readdir(join(root, 'sub'))).toEqual(['file.txt']);
  });

  test('removes files, folders with all in them, and links but never what they point to', async () => {
    const { workspace, root, outside } = await prepared();
    await mkdir(join(root, 'sub', 'deep'));
    await writeFile(join(root, 'sub', 'deep', 'file'), 'x');
    await symlink(outside, join(root, 'sub', 'deep', 'way'));
    await workspace.remove('out', permits);
    await workspace.remove('inner', permits);
    await workspace.remove('loop-a', permits);
    expect(await readFile(join(root, 'sub', 'file.txt'), 'utf8')).toBe('inside');
    await workspace.remove('sub', permits);
    expect((await readdir(root)).toSorted()).toEqual([
      'chain-1',
      'chain-2',
      'dangling',
      'loop-b',
      'out-absolute',
      'self',
    ]);
    expect(await readdir(outside)).toEqual(['secret.txt']);
    await expect(workspace.remove('sub', permits)).rejects.toMatchObject({ kind: 'file_not_found' });
    await expect(workspace.remove('.', permits)).rejects.toMatchObject({ kind: 'invalid_params' });
  });

  test('renames to where nothing is, and never out of itself', async () => {
    const { workspace, root, outside } = await prepared();
    await workspace.rename('sub', { to: 'new/place', permits });
    expect(await readFile(join(root, 'new', 'place', 'file.txt'), 'utf8')).toBe('inside');
    const refusals: [from: string, to: string, kind: string][] = [
      ['new/place/file.txt', 'out/file.txt', 'path_not_in_workspace'],
      ['new/place/file.txt', '../outside/file.txt', 'path_not_in_workspace'],
      ['out/secret.txt', 'mine', 'path_not_in_workspace'],
      ['new/place/file.txt', 'loop-a', 'path_not_in_workspace'],
      ['new', 'new/place/deeper', 'invalid_params'],
      ['new/place/file.txt', 'new', 'invalid_params'],
      ['new/place/file.txt', '.git/config', 'permission_denied'],
      ['none', 'mine', 'file_not_found'],
    ];
    for (const [from, to, kind] of refusals)
      await expect(workspace.rename(from, { to, permits })).rejects.toMatchObject({ kind });
    await expect(workspace.rename('new', { to: 'x', permits: (path) => path !== 'x' })).rejects.toMatchObject({
      kind: 'permission_denied',
    });
    await expect(workspace.remove('new', () => false)).rejects.toMatchObject({ kind: 'permission_denied' });
    expect(await readFile(join(root, 'new', 'place', 'file.txt'), 'utf8')).toBe('inside');
    expect(await readdir(outside)).toEqual(['secret.txt']);
  });

  test('refuses to write a file that has a second name', async () => {
    const { workspace, root, outside } = await prepared();
    await link(join(outside, 'secret.txt'), join(root, 'hard'));
    await expect(workspace.writeText('hard', { text: 'x', permits })).rejects.toMatchObject({
      kind: 'permission_denied',
    });
    expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe('secret');
  });

  test.each([
    '.nightshift/x',
    '.nightshift/ledger/r/c.result',
    '.git/config',
    '.git/hooks/pre-commit',
    '.git',
    'sub/.git/hooks/x',
    '.GIT/config',
    'self/.git/config',
    'sub/../.nightshift/x',
  ])('never writes "%s"', async (path) => {
    const { workspace, root } = await prepared();
    await expect(workspace.writeText(path, { text: 'x', permits })).rejects.toMatchObject({
      kind: 'permission_denied',
    });
    expect(await readdir(root)).not.toContain(
      path.split('/')[0] === 'sub' ? '.git' : path.split('/')[0] === 'self' ? '.git' : path.split('/')[0],
    );
  });

  test('asks for leave with the real path, before anything changes', async () => {
    const { workspace, root } = await prepared();
    const asked: string[] = [];
    const refuse = (path: string): boolean => asked.push(path) === 0;
    await expect(workspace.writeText('inner/new/x', { text: 'x', permits: refuse })).rejects.toMatchObject({
      kind: 'permission_denied',
    });
    expect(asked).toEqual(['sub/new/x']);
    expect(await readdir(join(root, 'sub'))).toEqual(['file.txt']);
  });

  test('refuses named pipes at once instead of waiting for a writer', async () => {
    const { workspace, root } = await prepared();
    await promisify(execFile)('mkfifo', [join(root, 'pipe')]);
    await expect(workspace.readText('pipe')).rejects.toMatchObject({ kind: 'permission_denied' });
    await expect(workspace.writeText('pipe', { text: 'x', permits })).rejects.toMatchObject({
      kind: 'permission_denied',
    });
  });

  test('refuses to take bytes for text that are not', async () => {
    const { workspace, root } = await prepared();
    await writeFile(join(root, 'latin'), Buffer.from([0x61, 0xe4, 0x62]));
    await expect(workspace.readText('latin')).rejects.toMatchObject({
      kind: 'execution_failed',
      message: 'Cannot read "latin": it is not UTF-8 text',
    });
  });
});

test('a workspace must exist and be a folder', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'file'), '');
  await expect(openWorkspace(join(folder, 'none'))).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(openWorkspace(join(folder, 'file'))).rejects.toThrow('it is not a folder');
});
