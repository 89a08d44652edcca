import { mkdir, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { holdMounts, releaseMounts } from '../../../src/tools/sandbox/held-mounts.ts';
import { temporaryFolder } from '../situation.ts';

const guard = (path: string) => [{ kind: 'read-only', path }] as const;

test('what was exchanged for a link before it is held is not mounted', async () => {
  const root = await temporaryFolder();
  await symlink('/etc', join(root, '.vscode'));
  await expect(holdMounts(guard(join(root, '.vscode')))).rejects.toThrow(/ELOOP|ENOTDIR/);
});

test('nor is what lies below such a link', async () => {
  const root = await temporaryFolder();
  await symlink('/etc', join(root, '.git'));
  await expect(holdMounts(guard(join(root, '.git', 'ssl')))).rejects.toThrow(/it was exchanged meanwhile/);
});

test('what is exchanged afterwards stays what it was', async () => {
  const root = await temporaryFolder();
  const path = join(root, '.vscode');
  await mkdir(path);
  const [held] = await holdMounts(guard(path));
  await rename(path, join(root, 'moved'));
  await symlink('/etc', path);
  expect((await held?.handle?.stat())?.isDirectory()).toBe(true);
  await releaseMounts(held === undefined ? [] : [held]);
});
