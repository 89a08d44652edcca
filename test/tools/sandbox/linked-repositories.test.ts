import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { putAway, surveyGuarded } from '../../../src/tools/sandbox/guarded.ts';
import { temporaryFolder } from '../situation.ts';

const PERSON = ['-c', 'user.name=a', '-c', 'user.email=b'];

function git(folder: string, ...words: readonly string[]): void {
  execFileSync('git', words, { cwd: folder, stdio: 'pipe' });
}

function repository(folder: string): void {
  git('/', 'init', '--quiet', '--template=', folder);
  git(folder, ...PERSON, 'commit', '--quiet', '--allow-empty', '-m', 'x');
}

/** What is put away after a change, in a repository whose index lists the repository `in`. */
async function putAwayAfter(settings: string, change: (root: string) => void): Promise<readonly string[]> {
  const root = await realpath(await temporaryFolder());
  repository(root);
  repository(join(root, 'in'));
  git(join(root, 'in'), 'config', settings, 'x');
  git(root, 'add', 'in');
  const guard = await surveyGuarded(root);
  change(root);
  return await putAway(root, guard, 'run/call');
}

describe('a repository within the workspace', () => {
  test('that was there with settings of its own stays', async () => {
    const changed = (root: string): void =>
      git(join(root, 'in'), ...PERSON, 'commit', '--quiet', '--allow-empty', '-m', 'y');
    expect(await putAwayAfter('core.fsmonitor', changed)).toEqual([]);
  });

  test('that is new and has the usual settings stays', async () => {
    const made = (root: string): void => {
      repository(join(root, 'new'));
      git(root, 'add', 'new');
    };
    expect(await putAwayAfter('user.name', made)).toEqual([]);
  });

  test('that was given a program to start is put away, and can be had again', async () => {
    let place = '';
    const changed = (root: string): void => {
      place = root;
      git(join(root, 'in'), 'config', 'core.fsmonitor', 'touch started');
    };
    expect(await putAwayAfter('user.name', changed)).toEqual(['in/.git']);
    expect(readdirSync(join(place, 'in'))).toEqual([]);
    const [folder = ''] = readdirSync(join(place, '.nightshift', 'quarantine'));
    expect(readdirSync(join(place, '.nightshift', 'quarantine', folder))).toEqual(['0-in-.git']);
  });

  test('that another within lists is looked at too', async () => {
    const made = (root: string): void => {
      repository(join(root, 'in', 'deep'));
      git(join(root, 'in', 'deep'), 'config', 'core.fsmonitor', 'touch started');
      git(join(root, 'in'), 'add', 'deep');
    };
    expect(await putAwayAfter('user.name', made)).toEqual(['in/deep/.git']);
  });
});

/** A repository whose index cannot be listed without a tree it lacks, which a program of its own choice is to fetch. */
function lackingRepository(root: string): void {
  repository(root);
  repository(join(root, 'in'));
  for (const folder of ['a', 'b']) {
    mkdirSync(join(root, folder));
    writeFileSync(join(root, folder, 'file'), folder);
  }
  git(root, 'add', '.');
  git(root, ...PERSON, 'commit', '--quiet', '-m', 'files');
  git(root, 'sparse-checkout', 'set', '--cone', '--sparse-index', 'a');
  const tree = execFileSync('git', ['rev-parse', 'HEAD:b'], { cwd: root }).toString().trim();
  rmSync(join(root, '.git', 'objects', tree.slice(0, 2), tree.slice(2)));
  const settings = {
    'core.repositoryFormatVersion': '1',
    'extensions.partialClone': 'origin',
    'remote.origin.url': `ext::touch ${join(root, 'started')}`,
    'remote.origin.promisor': 'true',
    'protocol.ext.allow': 'always',
  };
  for (const [name, value] of Object.entries(settings)) git(root, 'config', name, value);
}

test('a repository that names a program to fetch what it lacks starts none when it is looked at', async () => {
  const root = await realpath(await temporaryFolder());
  lackingRepository(root);
  await surveyGuarded(root);
  expect(readdirSync(root)).not.toContain('started');
  spawnSync('git', ['ls-files', '--stage'], { cwd: root });
  expect(readdirSync(root), 'anybody else would have started it').toContain('started');
});
