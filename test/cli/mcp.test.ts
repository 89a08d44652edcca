import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { trustFolder } from '../../src/cli/commands/mcp/trust.ts';
import { trustOf } from '../../src/config/trust.ts';
import { openCommandLine, type CommandLine } from './support/command-line.ts';
import { openPerson, type Person } from './support/person.ts';

const EVERYTHING = {
  command: process.execPath,
  args: [
    join(import.meta.dirname, '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js'),
    'stdio',
  ],
};

let cli: CommandLine;
beforeAll(async () => {
  cli = await openCommandLine({ workflowBundle: inject('workflowBundle') });
});
afterAll(async () => await cli.close());

async function writeServers(folder: string, servers: object): Promise<void> {
  await writeFile(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: servers }));
}

test('servers are started only in a folder that is trusted as it is, and each says what came of it', async () => {
  const gone = { command: './gone\u001b[2J', env: { API_TOKEN: 'written-down-secret', OTHER: '${FROM_HERE:-x}' } };
  await writeServers(cli.workspace, { everything: EVERYTHING, gone });
  const listed = await cli.run(['mcp', 'ls']);
  expect(listed).toMatchObject({ code: 0 });
  expect(listed.stdout).toMatch(/^gone +stdio +\.mcp\.json +no +\S*gone\\x1b/m);
  const untrusted = await cli.run(['mcp', 'test']);
  expect(untrusted).toMatchObject({ code: 4, stdout: '' });
  expect(untrusted.stderr).toContain('nightshift mcp trust');
  expect((await cli.run(['mcp', 'trust'])).code).toBe(2);

  const trusted = await cli.run(['mcp', 'trust', '--yes']);
  expect(trusted.code).toBe(0);
  expect(trusted.stderr).toContain('API_TOKEN');
  expect(trusted.stderr).toContain('OTHER=${FROM_HERE:-x}');
  expect(trusted.stderr).toContain(EVERYTHING.args[0]);
  expect(trusted.stderr).not.toContain('written-down-secret');
  expect(trusted.stderr).not.toContain('\u001b');

  const tested = await cli.run(['mcp', 'test']);
  expect(tested.code).toBe(1);
  expect(tested.stdout).toMatch(/^ok +everything .* tools$/m);
  expect(tested.stdout).toMatch(/^ +mcp__everything__echo +\w+ /m);
  expect(tested.stdout).toMatch(/^broken +gone .*ENOENT/m);
  expect((await cli.run(['mcp', 'test', 'everything', '--json'])).code).toBe(0);
  expect((await cli.run(['mcp', 'test', 'nope'])).code).toBe(5);

  const called = await cli.run(['tools', 'call', 'mcp__everything__echo', '{"message": "hello"}', '--yes']);
  expect(called).toMatchObject({ code: 0 });
  expect(called.stdout).toContain('hello');

  await writeServers(cli.workspace, { everything: { ...EVERYTHING, args: ['-e', 'process.exit()'] } });
  const changed = await cli.run(['mcp', 'test']);
  expect(changed.code).toBe(4);
  expect(changed.stderr).toContain('.mcp.json changed since it was trusted');
  expect((await cli.run(['mcp', 'trust', '--revoke'])).stderr).toContain('no more');
});

const SIGNING = {
  clientSecret: undefined,
  privateKey: 'written-down-key',
  algorithm: 'ES256',
  issuer: 'https://login.example.com',
};

async function personWho(answer: (person: Person) => Promise<string>): Promise<Person> {
  const person = await openPerson(answer);
  onTestFinished(person.close);
  await writeFile(join(person.folder, '..', 'operator.yaml'), '');
  return person;
}

test('a file that changes while a person reads what it says is not trusted', async () => {
  const { context, folder, dataFolder } = await personWho(async (person) => {
    await writeServers(person.folder, { everything: { command: 'evil' } });
    return 'yes';
  });
  await writeServers(folder, { everything: EVERYTHING });
  await expect(trustFolder(context, {})).rejects.toThrow('.mcp.json changed after it was shown');
  expect(await trustOf({ dataFolder, folder })).toMatchObject({ kind: 'changed' });
});

test('all that trust allows is shown before anybody is asked, and a no leaves the folder as it was', async () => {
  let shown = '';
  const { context, folder, dataFolder } = await personWho(async (person) => {
    shown = person.said();
    return await Promise.resolve('n');
  });
  const settings = 'policy: {allow: ["bash(make *)"]}\nmode: auto-edit\ntools: {discover: ./list, call: ./call --it}\n';
  await writeFile(join(folder, 'nightshift.yaml'), settings);
  const auth = { type: 'client_credentials', clientId: '${WHO}', clientSecret: 'x${env:CLOUD_KEY}' };
  await writeServers(folder, {
    remote: { url: 'https://example.com/${PART}', headers: { 'X-Key': '${KEY}' } },
    robot: { url: 'https://example.com/mcp', auth },
    local: {
      command: 'node',
      env: { NODE_OPTIONS: '--import ./evil.mjs ${NONE:-}', DB: 'db://me:written-down-word@host' },
    },
    signer: { url: 'https://example.com/mcp', auth: { ...auth, type: 'private_key_jwt', ...SIGNING } },
  });
  expect(await trustFolder(context, {})).toBe(0);
  const expected = [
    'bash(make *)',
    'auto-edit',
    './list',
    './call --it',
    'https://example.com/${PART}',
    'X-Key, from KEY',
    'NODE_OPTIONS=--import ./evil.mjs ${NONE:-}',
    'with     DB\n',
    'logs in  as "${WHO}" by client_credentials, with CLOUD_KEY of your environment, wherever the server says',
    'logs in  as "${WHO}" by private_key_jwt, with a secret of the file, at https://login.example.com',
  ];
  for (const part of expected) expect(shown).toContain(part);
  expect(shown).not.toMatch(/written-down-(?:key|word)/);
  expect(await trustOf({ dataFolder, folder })).toMatchObject({ kind: 'untrusted' });
});
