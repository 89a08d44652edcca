import { mkdir, readdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pruneKept } from '../../src/tools/prune-kept.ts';
import { temporaryFolder } from './situation.ts';

const LONG_AGO = new Date('2020-01-01');

test('old outputs and quarantined files are removed, newer ones and everything else stay', async () => {
  const root = await temporaryFolder();
  const kept = join(root, '.nightshift');
  for (const name of ['output', 'quarantine', 'ledger']) await mkdir(join(kept, name), { recursive: true });
  const old = [join(kept, 'output', 'old.txt'), join(kept, 'quarantine', 'hook'), join(kept, 'ledger', 'run')];
  await Promise.all(old.map(async (path) => await writeFile(path, '')));
  await Promise.all(old.map(async (path) => await utimes(path, LONG_AGO, LONG_AGO)));
  await writeFile(join(kept, 'output', 'new.txt'), '');
  expect(await pruneKept(root, 86_400_000)).toBe(2);
  expect(await readdir(join(kept, 'output'))).toEqual(['new.txt']);
  expect(await readdir(join(kept, 'ledger'))).toEqual(['run']);
});

test('a workspace without them, or with links in their place, loses nothing', async () => {
  const root = await temporaryFolder();
  const outside = await temporaryFolder();
  expect(await pruneKept(root, 0)).toBe(0);
  await writeFile(join(outside, 'theirs'), '');
  await mkdir(join(root, '.nightshift'));
  await symlink(outside, join(root, '.nightshift', 'output'));
  expect(await pruneKept(root, 0)).toBe(0);
  expect(await readdir(outside)).toEqual(['theirs']);
});
