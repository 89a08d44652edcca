import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { readMcpServers, type McpServers } from '../../src/config/mcp-servers.ts';
import { findMcpServer, keepMcpServer } from '../../src/config/mcp-store.ts';
import { grantTrust, revokeTrust } from '../../src/config/trust.ts';
import { temporaryFolder } from '../tools/situation.ts';

async function folderWith(files: Readonly<Record<string, unknown>>): Promise<string> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, '.vscode'));
  for (const [name, value] of Object.entries(files)) {
    await writeFile(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value));
  }
  return folder;
}

const read = async (servers: unknown): Promise<McpServers> =>
  await readMcpServers({ folder: await folderWith({ '.mcp.json': { mcpServers: servers } }) });

test('a folder without files has no servers and no problems', async () => {
  const folder = await temporaryFolder();
  expect(await readMcpServers({ folder })).toEqual({ servers: [], problems: [], notices: [], files: {} });
  expect((await readMcpServers({ folder: join(folder, 'gone') })).problems).toEqual([]);
});

test('servers of every transport are read, with variables as they are written', async () => {
  const { servers, problems } = await read({
    files: {
      command: 'npx',
      args: ['-y', 'server', '${workspaceFolder}'],
      env: { TOKEN: '${TOKEN:-none}' },
      timeout: 5_000,
    },
    web: { type: 'http', url: 'https://example.com/${PATH_PART}', headers: { Authorization: 'Bearer ${KEY}' } },
    streamed: { type: 'streamable-http', url: 'https://example.com/mcp' },
    old: { type: 'sse', url: 'https://example.com/sse' },
    socket: { url: 'wss://example.com/mcp' },
    guarded: {
      url: 'https://example.com/mcp',
      auth: { type: 'client_credentials', clientId: 'me', clientSecret: '${S}', issuer: 'https://login.example.com' },
    },
  });
  expect(problems).toEqual([]);
  expect(servers.map(({ server }) => server)).toEqual([
    {
      type: 'stdio',
      name: 'files',
      command: 'npx',
      args: ['-y', 'server', '${workspaceFolder}'],
      env: { TOKEN: '${TOKEN:-none}' },
      timeoutMs: 5_000,
    },
    {
      type: 'http',
      name: 'web',
      url: 'https://example.com/${PATH_PART}',
      headers: { Authorization: 'Bearer ${KEY}' },
    },
    { type: 'http', name: 'streamed', url: 'https://example.com/mcp', headers: {} },
    { type: 'sse', name: 'old', url: 'https://example.com/sse', headers: {} },
    { type: 'ws', name: 'socket', url: 'wss://example.com/mcp', headers: {} },
    {
      type: 'http',
      name: 'guarded',
      url: 'https://example.com/mcp',
      headers: {},
      auth: { type: 'client_credentials', clientId: 'me', clientSecret: '${S}', issuer: 'https://login.example.com' },
    },
  ]);
});

test("VS Code's file is read with comments, and the first file wins", async () => {
  const folder = await folderWith({
    '.mcp.json': { mcpServers: { both: { command: 'first' } } },
    '.vscode/mcp.json': `\uFEFF// servers of the team
      { "inputs": [], "servers": { /* both */ "both": { "command": "second" },
        "more": { "command": "sh", "args": ["-c", "echo // no /* comment */ ,]",], }, } }`,
  });
  const { servers, problems, notices, files } = await readMcpServers({ folder });
  expect(problems).toEqual([]);
  expect(servers.map(({ name, source, server }) => [name, source, server.type === 'stdio' && server.command])).toEqual([
    ['both', '.mcp.json', 'first'],
    ['more', '.vscode/mcp.json', 'sh'],
  ]);
  expect(servers[1]?.server).toMatchObject({ args: ['-c', 'echo // no /* comment */ ,]'] });
  expect(notices).toEqual(['.vscode/mcp.json: both: left out, because .mcp.json has a server of this name']);
  expect(Object.keys(files)).toEqual(['.mcp.json', '.vscode/mcp.json']);
});

const problems: [problem: string, servers: unknown][] = [
  [
    '.mcp.json: a.comand: there is no such key for "stdio"; did you mean "command"?',
    { a: { type: 'stdio', comand: 'x' } },
  ],
  ['.mcp.json: a.url: there is no such key for "stdio"', { a: { command: 'x', url: 'http://x' } }],
  [
    '.mcp.json: a.type: expected "stdio", "http", "sse" or "ws" with "command" or "url", got "pigeon"',
    { a: { type: 'pigeon' } },
  ],
  ['.mcp.json: a.type: expected "stdio", "http", "sse" or "ws" with "command" or "url", got nothing', { a: {} }],
  [
    '.mcp.json: a.type: expected "stdio", "http", "sse" or "ws" with "command" or "url", got "toString"',
    { a: { type: 'toString' } },
  ],
  ['.mcp.json: a: expected an object, got "x"', { a: 'x' }],
  [
    '.mcp.json: a: ${input:key} asks a person, and none is there; use an environment variable',
    { a: { command: 'x', env: { K: '${input:key}' } } },
  ],
  [
    '.mcp.json: "a b": expected a name of 1 to 50 letters, digits, "-" or "_", without "__" and without "_" at its start or end, such as "a_b"',
    { 'a b': { command: 'x' } },
  ],
];
test.each(problems)('%s', async (problem, servers) => {
  const result = await read({ good: { command: 'x' }, ...(servers as object) });
  expect(result.problems).toEqual([problem]);
  expect(result.servers.map(({ name }) => name)).toEqual(['good']);
});

test.each(['a__b', '_a', 'a_', '__proto__', '', 'x'.repeat(51), 'ä', 'a/b'])(
  'a server cannot be called %j, because its tools could pass for those of another',
  async (name) => {
    const { servers, problems } = await read(JSON.parse(`{${JSON.stringify(name)}:{"command":"x"}}`));
    expect(servers).toEqual([]);
    expect(problems).toHaveLength(1);
  },
);

test('wrong values are named by the key of the file', async () => {
  const { problems } = await read({
    a: { command: 'x', timeout: 1 },
    b: { command: 5 },
    c: { command: 'x', args: [1] },
  });
  expect(problems.join('\n')).toMatch(/a\.timeout: .*\n.*b\.command: .*\n.*c\.args\.0: /);
});

test('what other programs write and what is switched off is said', async () => {
  const { servers, notices } = await read({
    a: { command: 'x', alwaysAllow: ['everything'] },
    b: { command: 'x', disabled: true },
    c: { url: 'https://example.com', auth: { type: 'client_credentials', clientId: 'i', clientSecret: '${S}' } },
  });
  expect(servers.map(({ name }) => name)).toEqual(['a', 'c']);
  expect(notices).toEqual([
    '.mcp.json: a.alwaysAllow: not used here',
    '.mcp.json: b: it is switched off by "disabled"',
    '.mcp.json: c.auth: without "issuer" the credentials go to whichever server "c" names',
  ]);
});

test.each([
  ['it is not JSON', '{"mcpServers": {"a": {"env": {"TOKEN": "s3cret"}} x'],
  ['expected an object', '[]'],
  ['mcpServers: expected an object of servers, got []', '{"mcpServers": []}'],
  ['servers: there is no such key', '{"servers": {}}'],
])('a file can be wrong as a whole: %s', async (problem, text) => {
  const { problems } = await readMcpServers({ folder: await folderWith({ '.mcp.json': text }) });
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(problem);
  expect(problems[0]).not.toContain('s3cret');
});

test('a pipe, a folder and a huge file in the place of a file do no harm', async () => {
  const folder = await folderWith({ '.vscode/mcp.json': ' '.repeat(1_100_000) });
  await promisify(execFile)('mkfifo', [join(folder, '.mcp.json')]);
  const { problems } = await readMcpServers({ folder });
  expect(problems).toEqual([
    '.mcp.json: it is not a regular file',
    '.vscode/mcp.json: it is larger than 1048576 bytes',
  ]);
});

test('the digest is of what is written: order does not matter, values and variables do', async () => {
  const digest = async (server: object): Promise<string | undefined> => (await read({ a: server })).servers[0]?.digest;
  const first = await digest({ command: 'x', env: { A: '${A}', B: '1' } });
  expect(first).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(await digest({ env: { B: '1', A: '${A}' }, command: 'x', type: 'stdio', args: [] })).toBe(first);
  expect(await digest({ command: 'x', env: { A: '${B}', B: '1' } })).not.toBe(first);
  expect(await digest({ command: 'x', args: ['-v'], env: { A: '${A}', B: '1' } })).not.toBe(first);
});

test('a kept server is found again, by its owner only, and never when it was tampered with', async () => {
  const [dataFolder, workspace] = [await temporaryFolder(), await temporaryFolder()];
  const { servers } = await read({ a: { command: 'x', env: { TOKEN: '${TOKEN}' } } });
  const [known] = servers;
  if (known === undefined) throw new Error('Cannot go on: it was not read');
  const wanted = { dataFolder, workspace, digest: known.digest };
  await grantTrust({ dataFolder, folder: workspace, at: new Date() });
  expect(await findMcpServer(wanted)).toBeUndefined();
  await Promise.all([1, 2, 3].map(async () => await keepMcpServer(dataFolder, known)));
  expect(await findMcpServer(wanted)).toEqual(known.server);
  const [file] = await readdir(join(dataFolder, 'mcp'));
  const path = join(dataFolder, 'mcp', file ?? '');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  await writeFile(path, (await readFile(path, 'utf8')).replace('"x"', '"rm"'));
  expect(await findMcpServer(wanted)).toBeUndefined();
  await writeFile(path, 'half of');
  expect(await findMcpServer(wanted)).toBeUndefined();
  await expect(findMcpServer({ ...wanted, digest: '../../etc/passwd' })).rejects.toThrow('no digest of ours');
});

test('a kept server is found while its folder is trusted, also when that changed meanwhile, and no more after a no', async () => {
  const dataFolder = await temporaryFolder();
  const folder = await folderWith({ '.mcp.json': { mcpServers: { a: { command: 'x' } } } });
  const [known] = (await readMcpServers({ folder })).servers;
  if (known === undefined) throw new Error('Cannot go on: it was not read');
  const wanted = { dataFolder, workspace: folder, digest: known.digest };
  await grantTrust({ dataFolder, folder, at: new Date() });
  await keepMcpServer(dataFolder, known);
  await writeFile(join(folder, '.mcp.json'), '{}');
  expect(await findMcpServer(wanted)).toEqual(known.server);
  await revokeTrust({ dataFolder, folder });
  expect(await findMcpServer(wanted)).toBeUndefined();
});

test("a worker that keeps nothing finds a server in the workspace's own file, once that is trusted", async () => {
  const dataFolder = await temporaryFolder();
  const folder = await folderWith({ '.mcp.json': { mcpServers: { a: { command: 'x' } } } });
  const { servers } = await readMcpServers({ folder });
  const digest = servers[0]?.digest ?? '';
  expect(await findMcpServer({ dataFolder, workspace: folder, digest })).toBeUndefined();
  await grantTrust({ dataFolder, folder, at: new Date() });
  expect(await findMcpServer({ dataFolder, workspace: folder, digest })).toEqual(servers[0]?.server);
  await writeFile(join(folder, 'nightshift.yaml'), 'policy: {}');
  expect(await findMcpServer({ dataFolder, workspace: folder, digest })).toBeUndefined();
  const link = join(await temporaryFolder(), 'link');
  await symlink(folder, link);
});
