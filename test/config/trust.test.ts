import { mkdir, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { readMcpServers } from '../../src/config/mcp-servers.ts';
import { grantTrust, revokeTrust, trustOf, wasTrusted, type Trust } from '../../src/config/trust.ts';
import { temporaryFolder } from '../tools/situation.ts';

let dataFolder = '';
let folder = '';
const at = new Date('2026-01-01T00:00:00Z');
const MCP = '{"mcpServers":{"a":{"command":"x"}}}';

beforeEach(async () => {
  dataFolder = await temporaryFolder();
  folder = await temporaryFolder();
  await writeFile(join(folder, '.mcp.json'), MCP);
});

const trust = async (where = folder): Promise<Trust> => await trustOf({ dataFolder, folder: where });

test('nothing is trusted until somebody says so, and from then on it is', async () => {
  expect(await trust()).toEqual({ kind: 'untrusted', folder, files: ['.mcp.json'] });
  await grantTrust({ dataFolder, folder, at });
  expect(await trust()).toEqual({ kind: 'trusted', folder, files: ['.mcp.json'] });
});

const changes: [what: string, files: readonly string[], change: () => Promise<unknown>][] = [
  ['its servers are changed', ['.mcp.json'], async () => await writeFile(join(folder, '.mcp.json'), `${MCP} `)],
  ['its servers are gone', ['.mcp.json'], async () => await rm(join(folder, '.mcp.json'))],
  [
    'there is a second file of servers',
    ['.vscode/mcp.json'],
    async () => {
      await mkdir(join(folder, '.vscode'));
      await writeFile(join(folder, '.vscode/mcp.json'), '{}');
    },
  ],
  ['there are settings', ['nightshift.yaml'], async () => await writeFile(join(folder, 'nightshift.yaml'), 'a: 1')],
];
test.each(changes)('trust ends when %s, and comes back with the old contents', async (_what, files, change) => {
  await grantTrust({ dataFolder, folder, at });
  await change();
  expect(await trust()).toEqual({ kind: 'changed', folder, files });
  await rm(join(folder, '.vscode'), { recursive: true, force: true });
  await rm(join(folder, 'nightshift.yaml'), { force: true });
  await writeFile(join(folder, '.mcp.json'), MCP);
  expect((await trust()).kind).toBe('trusted');
});

/** Of three servers: a script behind a flag, one beside a file of data, and a program by its own name. */
const PROGRAMS = {
  a: { command: 'node', args: ['--import=./tools/hook.mjs', 'server.js', './notes.db'] },
  b: { command: 'sh', args: ['-c', 'python3 b.py'], cwd: 'tools' },
  c: { command: './run' },
};
const PROGRAM_PATHS = ['tools/hook.mjs', 'server.js', 'tools/b.py', 'run'];

async function withPrograms(): Promise<void> {
  await writeFile(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: PROGRAMS }));
  await mkdir(join(folder, 'tools'));
  await Promise.all([...PROGRAM_PATHS, 'notes.db'].map(async (path) => await writeFile(join(folder, path), 'old')));
}

test.each(PROGRAM_PATHS)(
  'trust ends when the program %s is another, is gone or is a link, and comes back',
  async (path) => {
    await withPrograms();
    await grantTrust({ dataFolder, folder, at });
    expect((await trust()).files.toSorted()).toEqual(['.mcp.json', ...PROGRAM_PATHS].toSorted());
    const elsewhere = join(await temporaryFolder(), 'evil');
    await writeFile(elsewhere, 'evil');
    const place = join(folder, path);
    for (const change of [
      async () => await writeFile(place, 'new'),
      async () => await rm(place),
      async () => await symlink(elsewhere, place),
    ]) {
      await change();
      expect(await trust()).toEqual({ kind: 'changed', folder, files: [path] });
      expect(await wasTrusted({ dataFolder, folder })).toBe(false);
    }
    await rm(place);
    await writeFile(place, 'old');
    expect((await trust()).kind).toBe('trusted');
    expect(await wasTrusted({ dataFolder, folder })).toBe(true);
  },
);

test('what a server is only given to read may change, and so may the files, of which the programs are not', async () => {
  await withPrograms();
  await grantTrust({ dataFolder, folder, at });
  await writeFile(join(folder, 'notes.db'), 'new');
  expect((await trust()).kind).toBe('trusted');
  await writeFile(join(folder, '.mcp.json'), MCP);
  expect((await trust()).kind).toBe('changed');
  expect(await wasTrusted({ dataFolder, folder })).toBe(true);
});

test('other files may change', async () => {
  await grantTrust({ dataFolder, folder, at });
  await writeFile(join(folder, 'README.md'), 'new');
  expect((await trust()).kind).toBe('trusted');
});

test('trust is judged about what was read, not about what stands there by now', async () => {
  const { files } = await readMcpServers({ folder });
  await writeFile(join(folder, '.mcp.json'), MCP.replace('x', 'y'));
  await grantTrust({ dataFolder, folder, at });
  expect((await trustOf({ dataFolder, folder, seen: files })).kind).toBe('changed');
  await grantTrust({ dataFolder, folder, at, seen: files });
  expect((await trust()).kind).toBe('changed');
  expect((await trustOf({ dataFolder, folder, seen: files })).kind).toBe('trusted');
});

test('trust is of the real folder: a link to it shares it, another folder in its place with other files does not', async () => {
  await grantTrust({ dataFolder, folder, at });
  const link = join(await temporaryFolder(), 'link');
  await symlink(folder, link);
  expect(await trust(link)).toMatchObject({ kind: 'trusted', folder });
  const copy = await temporaryFolder();
  await writeFile(join(copy, '.mcp.json'), MCP);
  expect((await trust(copy)).kind).toBe('untrusted');
  await rm(link);
  await symlink(copy, link);
  expect((await trust(link)).kind).toBe('untrusted');
});

test('trust can be revoked, also of a folder that is gone', async () => {
  await grantTrust({ dataFolder, folder, at });
  expect(await revokeTrust({ dataFolder, folder })).toBe(true);
  expect(await revokeTrust({ dataFolder, folder })).toBe(false);
  expect((await trust()).kind).toBe('untrusted');
  await grantTrust({ dataFolder, folder, at });
  const moved = `${folder}-moved`;
  await rename(folder, moved);
  expect(await revokeTrust({ dataFolder, folder })).toBe(true);
  await rename(moved, folder);
  expect((await trust()).kind).toBe('untrusted');
});

test('what is kept is private, survives rivals, and counts for nothing when it is broken', async () => {
  const folders = await Promise.all(Array.from({ length: 10 }, async () => await temporaryFolder()));
  await Promise.all(folders.map(async (other) => await grantTrust({ dataFolder, folder: other, at })));
  const kinds = await Promise.all(folders.map(async (other) => (await trust(other)).kind));
  expect(new Set(kinds)).toEqual(new Set(['trusted']));
  await grantTrust({ dataFolder, folder, at });
  for (const name of await readdir(join(dataFolder, 'trust'))) {
    const path = join(dataFolder, 'trust', name);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await writeFile(path, '{"version":1,"fold');
  }
  expect((await trust()).kind).toBe('untrusted');
});

test('a folder that does not exist is said to', async () => {
  await expect(trust(join(folder, 'gone'))).rejects.toThrow('there is no such folder');
});
