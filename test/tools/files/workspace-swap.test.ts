import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openWorkspace } from '../../../src/tools/files/workspace.ts';
import { situation } from '../situation.ts';

const permits = (): boolean => true;

/** Exchanges a folder and a link to the outside as fast as it can. */
const SWAPPER = `
const { renameSync, rmSync } = require('node:fs');
process.chdir(process.argv[1]);
console.log('ready');
for (;;) {
  // A write that found no door made one, which the real one cannot replace: without this, nothing would move again.
  try { rmSync('door-real', { recursive: true, force: true }); } catch {}
  for (const [from, to] of [['door', 'door-real'], ['door-link', 'door'], ['door', 'door-link'], ['door-real', 'door']]) {
    try { renameSync(from, to); } catch {}
  }
}`;

test.runIf(process.platform === 'linux')(
  'a folder that is exchanged for a link at any moment lets nothing out',
  async () => {
    const { root, outside } = await situation();
    await mkdir(join(root, 'door'));
    await symlink(outside, join(root, 'door-link'));
    const workspace = await openWorkspace(root);
    const swapper = spawn(process.execPath, ['-e', SWAPPER, root], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(async () => {
      const ended = once(swapper, 'exit');
      swapper.kill('SIGKILL');
      await ended;
    });
    await once(swapper.stdout, 'data');
    const counts = { inside: 0, refused: 0 };
    // On a busy machine the swapper may get its turn late, so it goes on until both were seen.
    const bothSeen = (): boolean => counts.inside > 0 && counts.refused > 0;
    for (let number = 0; number < 3_000 || (number < 100_000 && !bothSeen()); number += 1) {
      await workspace.writeText(`door/${number}.txt`, { text: 'x', permits }).then(
        () => (counts.inside += 1),
        () => (counts.refused += 1),
      );
    }
    expect(await readdir(outside)).toEqual([]);
    expect(counts.inside).toBeGreaterThan(0);
    expect(counts.refused).toBeGreaterThan(0);
  },
);
