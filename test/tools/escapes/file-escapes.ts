import { linkSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { bash, tool, type Attempt } from './attempt.ts';

const OUT = /path_not_in_workspace/;
const NONE = /No such file or directory/;
const READ_ONLY = /Read-only file system/;

/** By a path, with every tool that takes one. */
export const PATHS: readonly Attempt[] = [
  tool('read_file of a path upwards', () => ({ path: '../outside/canary' }), OUT),
  tool('read_file of an absolute path', ({ outside }) => ({ path: join(outside, 'canary') }), OUT),
  tool('read_file of the passwords', () => ({ path: '/etc/shadow' }), OUT),
  tool('read_file by the worker’s own descriptors', () => ({ path: '/proc/self/environ' }), OUT),
  tool('read_file of a path that winds', () => ({ path: 'a/../../outside/./canary' }), OUT),
  tool(
    'read_file with a NUL',
    () => ({ path: 'readme.md\0/../../outside/canary' }),
    /invalid_params|path_not_in_workspace/,
  ),
  tool('write_file beside the workspace', () => ({ path: '../outside/new', content: 'x' }), OUT),
  tool('write_file of a hook', () => ({ path: '.git/hooks/pre-commit', content: 'x' }), /permission_denied/),
  tool('write_file of a setting in other letters', () => ({ path: '.GIT/config', content: 'x' }), /permission_denied/),
  tool('write_file of a claim', () => ({ path: '.nightshift/ledger/new', content: 'x' }), /permission_denied/),
  tool(
    'edit_file of a file outside',
    () => ({ path: '../outside/canary', old: 'c', new: 'x' }),
    /path_not_in_workspace|invalid_params/,
  ),
  tool('ls upwards', () => ({ path: '../outside' }), OUT),
  tool('glob upwards', () => ({ pattern: '../outside/*' }), /path_not_in_workspace|invalid_params|No file/i),
  tool('glob in a folder outside', () => ({ pattern: '*', path: '../outside' }), OUT),
  tool('grep in a folder outside', () => ({ pattern: 'canary', path: '../outside' }), OUT),
  tool('grep with an option as pattern', () => ({ pattern: '--pre=/bin/sh' }), /No (match|line)|error|\[/i),
  bash('reading upwards', 'cat ../outside/canary', NONE),
  bash('reading an absolute path', ({ outside }) => `cat ${outside}/canary`, NONE),
  bash('reading the passwords', 'cat /etc/shadow', NONE),
  bash('reading private keys of the system', 'ls /etc/ssl/private /etc/ssh 2>&1; true', /^((?!key).)*$/s),
  bash('reading the home folder', 'cat ~/.ssh/id_ed25519', NONE),
  bash('listing what is around', 'ls -A .. /home /root /var /mnt /srv 2>/dev/null; echo listed', /listed/),
  bash('writing upwards', 'echo x > ../outside/new', NONE),
  bash('replacing a program', 'echo x > /usr/local/bin/git', READ_ONLY),
  bash(
    'replacing the workspace',
    'cd /; mv "$OLDPWD" /tmp/gone; rm -rf --no-preserve-root /usr/bin 2>&1 | head -n 2',
    /busy|Read-only|denied/i,
  ),
  bash('leaving a file for the next login', 'echo x >> ~/.bashrc; echo kept in memory', /kept in memory/),
  bash('making a claim', 'echo x > .nightshift/ledger/new', NONE),
  bash('making our folder anew', 'rm -rf .nightshift; mv .nightshift n; mkdir -p .nightshift/ledger', READ_ONLY),
  bash('changing a kept output', 'touch .nightshift/output/x.txt', READ_ONLY),
];

/** By links of both kinds. */
export const LINKS: readonly Attempt[] = [
  {
    name: 'read_file through a link to a file',
    by: async (scene) => (
      symlinkSync('../outside/canary', join(scene.root, 'link')),
      await scene.run('read_file', { path: 'link' })
    ),
    gets: OUT,
  },
  {
    name: 'write_file through a link to a folder',
    by: async (scene) => (
      symlinkSync('../outside', join(scene.root, 'link')),
      await scene.run('write_file', { path: 'link/new', content: 'x' })
    ),
    gets: OUT,
  },
  {
    name: 'write_file through a link that leads nowhere yet',
    by: async (scene) => (
      symlinkSync('../outside/new', join(scene.root, 'link')),
      await scene.run('write_file', { path: 'link', content: 'x' })
    ),
    gets: /path_not_in_workspace|permission_denied|file_write_failure/,
  },
  {
    name: 'grep through a link to a folder',
    by: async (scene) => (
      symlinkSync('../outside', join(scene.root, 'link')),
      await scene.run('grep', { pattern: 'canary' })
    ),
    gets: /^((?!canary-of).)*$/s,
  },
  {
    name: 'edit_file of a hard link to a file outside',
    by: async (scene) => {
      linkSync(join(scene.outside, 'canary'), join(scene.root, 'hard'));
      return await scene.run('write_file', { path: 'hard', content: 'x' });
    },
    gets: /./,
  },
  bash('reading through a link', 'ln -s ../outside/canary l; cat l', NONE),
  bash('reading through /proc', 'cat /proc/1/root/etc/shadow /proc/1/cwd/../outside/canary', NONE),
  bash('a hard link to a file outside', ({ outside }) => `ln ${outside}/canary hard`, NONE),
  bash(
    'a hard link to the settings of git',
    'ln .git/config plain && echo "[core] fsmonitor=x" >> plain',
    /cross-device|not permitted/i,
  ),
  bash('exchanging the repository', 'mv .git old; rm -rf .git; ln -s ../outside .git', /busy/),
  bash('a link in place of what others read', 'ln -s ../outside .vscode', /quarantine.*\.vscode/),
  {
    name: 'write_file while a command exchanges the folder for a link',
    by: async (scene) => {
      mkdirSync(join(scene.root, 'd'));
      const swap = 'for i in $(seq 100); do mv d e; ln -s ../outside/locked d; rm d; mv e d; done; echo swapped';
      const swapping = scene.bash(swap);
      for (let count = 0; count < 60; count += 1) await scene.run('write_file', { path: 'd/new', content: 'x' });
      return await swapping;
    },
    gets: /swapped/,
  },
];
