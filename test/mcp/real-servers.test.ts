import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { McpServer } from '../../src/contract/mcp-server.ts';
import { findMarked } from '../../src/tools/shell/process-tree.ts';
import { until } from '../tools/situation.ts';
import { everythingOverHttp, failure, processServer, realServer, setting } from './setting.ts';

const LONG = 'mcp__everything__trigger-long-running-operation';

const overStdio = processServer('everything', [realServer('everything'), 'stdio']);

async function overHttp(type: 'http' | 'sse'): Promise<McpServer & { kill: () => Promise<void> }> {
  const { port, kill } = await everythingOverHttp(type === 'http' ? 'streamableHttp' : 'sse');
  return {
    type,
    name: 'everything',
    url: `http://127.0.0.1:${port}/${type === 'http' ? 'mcp' : 'sse'}`,
    headers: {},
    kill,
  };
}

describe.each(['stdio', 'http', 'sse'] as const)('server-everything over %s', (transport) => {
  const serverOf = async (): Promise<McpServer> => {
    if (transport === 'stdio') return overStdio;
    const { kill: _kill, ...server } = await overHttp(transport);
    return server;
  };

  test('lists its tools with names, effects and pins of ours', async () => {
    const { definitions } = await setting([await serverOf()]);
    const listed = await definitions();
    expect(listed.length).toBeGreaterThan(10);
    expect(listed.find(({ name }) => name === 'mcp__everything__echo')).toMatchObject({
      origin: { kind: 'mcp', server: 'everything', tool: 'echo', pin: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) },
      inputSchema: { type: 'object', properties: { message: { type: 'string' } } },
      instructions: expect.stringContaining('"everything"'),
      local: false,
    });
  });

  test('answers calls with text, pictures as notes, and data', async () => {
    const { tool, context } = await setting([await serverOf()]);
    const given = await context();
    const run = async (name: string, input: unknown): Promise<string> =>
      (await (await tool(`mcp__everything__${name}`)).run(input, given)).text;
    expect(await run('echo', { message: 'hello' })).toBe('Echo: hello');
    expect(await run('get-sum', { a: 2, b: 40 })).toContain('42');
    expect(await run('get-tiny-image', {})).toMatch(/\[image of type image\/png, \d+ bytes, cannot be shown here\]/);
    expect(await run('get-structured-content', { location: 'New York' })).toContain('temperature');
    expect(await run('get-resource-links', { count: 2 })).toContain('[link to demo://resource');
  });

  test('shows progress while it works', async () => {
    const { tool, context } = await setting([await serverOf()]);
    const live: string[] = [];
    const long = await tool(LONG);
    const { text } = await long.run({ duration: 1, steps: 4 }, await context({ live: (line) => void live.push(line) }));
    expect(text).toContain('completed');
    expect(live.join('')).toMatch(/^1 of 4\n2 of 4\n3 of 4\n/);
  });

  test('stops waiting when the call is cancelled, and goes on with others', async () => {
    const { tool, context } = await setting([await serverOf()]);
    const stop = new AbortController();
    const long = await tool(LONG);
    const reason = new Error('cancelled by a person');
    const running = failure(long.run({ duration: 300, steps: 300 }, await context({ signal: stop.signal })));
    await sleep(300);
    stop.abort(reason);
    expect(await running).toBe(reason);
    const echo = await tool('mcp__everything__echo');
    expect((await echo.run({ message: 'still here' }, await context())).text).toBe('Echo: still here');
  });
});

const signals: [what: string, signal: 'SIGKILL' | 'SIGSTOP', effect: 'unsafe' | 'read', kind: string][] = [
  ['is killed', 'SIGKILL', 'unsafe', 'outcome_unknown'],
  ['is killed', 'SIGKILL', 'read', 'execution_failed'],
  ['hangs', 'SIGSTOP', 'unsafe', 'outcome_unknown'],
  ['hangs', 'SIGSTOP', 'read', 'timeout'],
];
test.each(signals)(
  'a server over stdio that %s (%s) in the middle of an %s call: %s',
  async (_what, signal, effect, kind) => {
    const marker = { name: 'NIGHTSHIFT_WORKER', value: `real-${process.pid}-${signal}-${effect}` };
    const place = await setting([{ ...overStdio, timeoutMs: 1_500 }], { markers: { [marker.name]: marker.value } });
    const long = await place.tool(LONG, { effect });
    const running = failure(long.run({ duration: 60, steps: 2 }, await place.context()));
    await sleep(500);
    const pids = await findMarked(marker);
    expect(pids).toHaveLength(1);
    for (const pid of pids) process.kill(pid, signal);
    expect(await running).toMatchObject({ kind });
    const echo = await place.tool('mcp__everything__echo');
    expect((await echo.run({ message: 'anew' }, await place.context())).text).toBe('Echo: anew');
    await place.pool.close();
    expect(await findMarked(marker)).toEqual([]);
  },
);

test('a server over HTTP that is killed in mid-call leaves the outcome unknown, and is used again when it is back', async () => {
  const { kill, ...server } = await overHttp('http');
  const { tool, context } = await setting([{ ...server, timeoutMs: 2_000 }]);
  const long = await tool(LONG, { effect: 'unsafe' });
  const echo = await tool('mcp__everything__echo', { effect: 'read' });
  const running = failure(long.run({ duration: 60, steps: 2 }, await context()));
  await sleep(500);
  await kill();
  expect(await running).toMatchObject({ kind: 'outcome_unknown' });
  expect(await failure(echo.run({ message: 'hello' }, await context()))).toMatchObject({
    kind: 'execution_failed',
    passing: true,
  });
  await everythingOverHttp('streamableHttp', Number(new URL(server.type === 'stdio' ? '' : server.url).port));
  await until('the server is used again', async () => {
    const output = await echo.run({ message: 'back' }, await context()).catch(() => undefined);
    return output?.text === 'Echo: back';
  });
});

test('server-filesystem reads and writes in the folder it was given', async () => {
  const server = processServer('filesystem', [realServer('filesystem'), '${workspaceFolder}']);
  const { tool, context, workspace, definitions } = await setting([server]);
  await writeFile(join(workspace, 'a.txt'), 'what it says');
  const read = await tool('mcp__filesystem__read_text_file');
  expect((await read.run({ path: join(workspace, 'a.txt') }, await context())).text).toContain('what it says');
  const write = await tool('mcp__filesystem__write_file');
  await write.run({ path: join(workspace, 'b.txt'), content: 'written' }, await context());
  expect(await readFile(join(workspace, 'b.txt'), 'utf8')).toBe('written');
  const refused = await read.run({ path: '/etc/hostname' }, await context());
  expect(refused).toMatchObject({ isError: true, error: 'execution_failed' });
  const effects = Object.fromEntries((await definitions()).map(({ name, effect }) => [name, effect]));
  expect(effects['mcp__filesystem__read_text_file']).toBe('read');
});
