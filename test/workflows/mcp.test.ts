import { realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerApproval } from '../../src/client.ts';
import { mcpServerDigest, readMcpServers } from '../../src/config/mcp-servers.ts';
import { readSettings } from '../../src/config/settings.ts';
import { grantTrust } from '../../src/config/trust.ts';
import type { Approval } from '../../src/contract/approvals.ts';
import { steps, type Scenario } from '../../src/models/offline/scenario.ts';
import { gatherCatalog, type Catalog } from '../../src/prepare/catalog.ts';
import { openHouse, replay, type House, type LiveRun } from '../support/house.ts';
import { realServer } from '../mcp/setting.ts';

const SECRET = 'canary-mcp-51d7c0ffee9a';

let house: House;
let workspace: string;
beforeAll(async () => {
  house = await openHouse({ environment: { ...process.env, EVERYTHING_TOKEN: SECRET } });
  workspace = await realpath(house.workspace);
  const everything = {
    command: process.execPath,
    args: [realServer('everything')],
    env: { TOKEN: '${EVERYTHING_TOKEN}' },
  };
  const broken = { command: process.execPath, args: ['-e', 'process.exit(3)'] };
  await writeFile(join(workspace, '.mcp.json'), JSON.stringify({ mcpServers: { everything, broken } }));
});
afterAll(async () => {
  await house.close();
});

/** What a run in the workspace is given, as the command line gathers it. */
async function catalog(): Promise<Catalog> {
  const env = { ...process.env, NIGHTSHIFT_HOME: house.dataFolder, EVERYTHING_TOKEN: SECRET };
  return await gatherCatalog({ workspace, settings: readSettings(env), env, signal: new AbortController().signal });
}

async function trust(): Promise<void> {
  const { files } = await readMcpServers({ folder: workspace });
  await grantTrust({ dataFolder: house.dataFolder, folder: workspace, seen: files, at: new Date() });
}

async function start(script: Scenario, allow: readonly string[] = []): Promise<LiveRun> {
  const { definitions } = await catalog();
  return await house.start(script, { tools: definitions, policy: { allow }, workspace });
}

async function question(run: LiveRun): Promise<Approval> {
  const view = await run.until(({ approvals }) => approvals.some(({ status }) => status === 'open'));
  return view.approvals.find(({ status }) => status === 'open')!;
}

const once = (name: string, input: unknown = {}): Scenario =>
  steps([{ calls: [{ name, input }] }, (seen) => ({ text: seen.lastResults[0]?.text ?? 'nothing' })]);

test('nothing is started in a folder that nobody trusts, and that is said', async () => {
  const { definitions, notices } = await catalog();
  expect(definitions.filter(({ name }) => name.startsWith('mcp__'))).toEqual([]);
  expect(notices.join('\n')).toContain(
    'the MCP servers everything, broken are not started, because this folder is not trusted',
  );
});

test('a tool of a server is asked for, runs by leave, and no secret of its server is in history', async () => {
  await trust();
  const run = await start(once('mcp__everything__echo', { message: 'hello' }));
  const { id, digest, reason, preview } = await question(run);
  expect(reason).toContain('a tool that is not built in is asked by default');
  expect(preview).toContain('hello');
  await answerApproval(house.client, run.runId, { id, digest, decision: 'approve', by: 'ann' });
  expect((await run.result()).answer).toContain('Echo: hello');
  expect(JSON.stringify(run.spec)).not.toContain(SECRET);
  const leak = await start(once('mcp__everything__get-env'), ['mcp__everything']);
  const { answer } = await leak.result();
  expect(answer).toContain('"TOKEN": "[redacted');
  expect(answer).not.toContain(SECRET);
  await replay(house.client, run.runId);
});

test('a broken server is left out and takes no other down', async () => {
  await trust();
  const { definitions, notices } = await catalog();
  expect(definitions.some(({ name }) => name === 'mcp__everything__echo')).toBe(true);
  expect(notices.join('\n')).toContain('the MCP server broken is left out');
});

test('a server that asks in the middle of a call has its question put to a person, and goes on with the answer', async () => {
  await trust();
  const run = await start(once('mcp__everything__trigger-elicitation-request'), ['mcp__everything']);
  const { id, kind, title, reason, preview } = await question(run);
  expect([kind, reason]).toEqual(['answer', 'mcp__everything__trigger-elicitation-request asks']);
  expect(title).toContain('name');
  expect(preview).toMatch(/^- legacyTitledEnum /m);
  const text = JSON.stringify({ name: 'Ada', check: true, email: 'ada@example.com' });
  await answerApproval(house.client, run.runId, { id, decision: 'answer', text, by: 'ann' });
  expect((await run.result()).answer).toContain('Ada');
  await replay(house.client, run.runId);
});

test('what a spec says of a server is a digest and nothing more', async () => {
  await trust();
  const { definitions, mcp } = await catalog();
  const echo = definitions.find(({ name }) => name === 'mcp__everything__echo');
  const everything = mcp.servers.find(({ name }) => name === 'everything')!;
  expect(echo?.origin).toEqual({
    kind: 'mcp',
    server: 'everything',
    tool: 'echo',
    config: mcpServerDigest(everything.server),
    pin: expect.stringMatching(/^sha256:/),
  });
});
