import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createMcpTool } from '../../src/mcp/tool.ts';
import { createRegistry } from '../../src/tools/registry.ts';
import { ToolError } from '../../src/tools/tool.ts';
import { until } from '../tools/situation.ts';
import { failure, processServer, rogue, rogueOverNetwork, setting } from './setting.ts';

const deaths: [tool: string, kind: string, passing: boolean][] = [
  ['mcp__rogue__die', 'outcome_unknown', false],
  ['mcp__rogue__look-die', 'execution_failed', true],
];
test.each(deaths)('a server that dies in the middle of %s ends the call as %s', async (name, kind, passing) => {
  const { tool, context } = await setting([rogue()]);
  const call = await tool(name);
  expect(await failure(call.run({}, await context()))).toMatchObject({ kind, passing });
  const look = await tool('mcp__rogue__look');
  expect((await look.run({}, await context())).text).toMatch(/^look 1 /);
});

const hangs: [tool: string, kind: string][] = [
  ['mcp__rogue__hang', 'outcome_unknown'],
  ['mcp__rogue__look-hang', 'timeout'],
];
test.each(hangs)('a server that never answers %s ends the call as %s', async (name, kind) => {
  const { tool, context } = await setting([rogue([], { timeoutMs: 1_000 })]);
  const call = await tool(name);
  expect(await failure(call.run({}, await context()))).toMatchObject({ kind });
});

test.each(hangs)('the timeout of the step ends %s as %s, too', async (name, kind) => {
  const { tool, context } = await setting([rogue()]);
  const call = await tool(name);
  const stop = new AbortController();
  const running = failure(call.run({}, await context({ signal: stop.signal })));
  await sleep(200);
  stop.abort(new ToolError('timeout', 'Cannot finish: it takes too long'));
  expect(await running).toMatchObject({ kind });
});

test('progress keeps a call alive beyond the time of silence, but not beyond the whole time', async () => {
  const { tool, context } = await setting([rogue([], { timeoutMs: 1_000 })]);
  const steps = await tool('mcp__rogue__steps');
  expect((await steps.run({ steps: 10, ms: 200 }, await context())).text).toBe('all steps done');
  const short = await tool('mcp__rogue__steps', { timeoutMs: 500, effect: 'read' });
  expect(await failure(short.run({ steps: 20, ms: 100 }, await context()))).toMatchObject({ kind: 'timeout' });
});

test('a cancelled call is cancelled at the server, and keeps the reason', async () => {
  const { tool, context } = await setting([rogue()]);
  const hang = await tool('mcp__rogue__hang');
  const stop = new AbortController();
  const reason = new Error('a person said stop');
  const running = failure(hang.run({}, await context({ signal: stop.signal })));
  await sleep(200);
  stop.abort(reason);
  expect(await running).toBe(reason);
  const cancelled = await tool('mcp__rogue__cancelled');
  await until('the server hears of it', async () => /\d/.test((await cancelled.run({}, await context())).text));
});

test('junk on stdout harms nothing', async () => {
  const { tool, context } = await setting([rogue(['noisy'])]);
  const junk = await tool('mcp__rogue__junk');
  expect((await junk.run({}, await context())).text).toBe('after the junk');
  expect((await junk.run({}, await context())).text).toBe('after the junk');
});

test('output without end is cut off, and the server is started anew', async () => {
  const { tool, context } = await setting([rogue()]);
  const flood = await tool('mcp__rogue__flood');
  expect(await failure(flood.run({}, await context()))).toMatchObject({ kind: 'outcome_unknown' });
  const look = await tool('mcp__rogue__look');
  expect((await look.run({}, await context())).text).toMatch(/^look 1 /);
});

test('an answer over HTTP without end is cut off', async () => {
  const { port } = await rogueOverNetwork('http');
  const server = { type: 'http', name: 'rogue', url: `http://127.0.0.1:${port}/`, headers: {} } as const;
  const { tool, context } = await setting([server]);
  const flood = await tool('mcp__rogue__flood');
  expect(await failure(flood.run({}, await context()))).toMatchObject({
    kind: 'outcome_unknown',
    message: expect.stringContaining('larger than'),
  });
});

test('broken servers say why, and the others are listed all the same', async () => {
  const { listed } = await setting(
    [
      rogue(),
      { ...rogue(['silent']), name: 'silent' },
      { ...rogue(['mute']), name: 'mute' },
      { ...rogue(['exit'], { env: { TOKEN: 't0ken-in-stderr' } }), name: 'exit' },
      { ...rogue(['endless']), name: 'endless' },
      { ...processServer('absent', []), command: '/no/such/program' },
      { ...rogue(), name: 'astray', cwd: 'no/such/folder' },
      { ...rogue([], { env: { TOKEN: '${NOT_SET_ANYWHERE}' } }), name: 'unset' },
      { type: 'http', name: 'nobody', url: 'http://127.0.0.1:9/mcp', headers: {} },
      { type: 'ws', name: 'none', url: 'ws://127.0.0.1:9/mcp', headers: {} },
      { type: 'http', name: 'file', url: 'file:///etc/passwd', headers: {} },
    ],
    { startMs: 4_000 },
  );
  const result = Object.fromEntries((await listed()).map((server) => [server.name, server]));
  const why = (name: string): string => {
    const server = result[name];
    return server?.kind === 'broken' ? server.why : 'it is not broken';
  };
  expect(result['rogue']).toMatchObject({ kind: 'ok' });
  expect(why('silent')).toBe('Cannot connect to "silent": it does not answer within 4000 ms');
  expect(why('mute')).toContain('Cannot list the tools of "mute"');
  expect(why('exit')).toContain('its stderr says: no license: the token was [hidden]');
  expect(why('endless')).toContain('64');
  expect(why('absent')).toContain('ENOENT');
  expect(why('astray')).toBe('Cannot start "astray": its folder does not exist');
  expect(why('unset')).toBe('Cannot connect to "unset": the environment variable "NOT_SET_ANYWHERE" is not set');
  expect(why('nobody')).toContain('Cannot connect to "nobody"');
  expect(why('none')).toContain('ECONNREFUSED');
  expect(why('file')).toBe('Cannot connect to "file": its address does not begin with "http://" or "https://"');
});

test('tools that would spoil a run are left out, the others stay', async () => {
  const { listed } = await setting([rogue(['odd'])]);
  const [server] = await listed();
  if (server?.kind !== 'ok') throw new Error(JSON.stringify(server));
  const names = server.definitions.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,128}$/);
  expect(names).toEqual(expect.arrayContaining(['mcp__rogue__a_b_c', 'mcp__rogue__again', 'mcp__rogue__choice']));
  expect(names.some((name) => /^mcp__rogue__a_b_c_[0-9a-f]{8}$/.test(name))).toBe(true);
  const left = server.notices.join('\n');
  expect(left).toMatch(/"huge" is left out: its definition has \d+ bytes/);
  expect(left).toContain('"deep" is left out: its definition nests too deep');
  expect(left).toContain('"argument" is left out: the model cannot be told of an argument "not an argument"');
  expect(left).toContain('"again" is left out: it is listed twice');
  const choice = server.definitions.find(({ name }) => name === 'mcp__rogue__choice');
  expect(choice?.inputSchema).not.toHaveProperty('anyOf');
});

test('a definition that nests a hundred thousand levels harms nobody but its server', async () => {
  const { listed } = await setting([rogue(['abyss']), { ...rogue(), name: 'other' }], { startMs: 10_000 });
  const [abyss, other] = await listed();
  expect(other).toMatchObject({ kind: 'ok' });
  expect(JSON.stringify(abyss)).toMatch(/nests too deep|Maximum call stack|does not/);
});

test('of hundreds of tools only so many are used', async () => {
  const { listed } = await setting([rogue(['many'])]);
  const [server] = await listed();
  expect(server).toMatchObject({ kind: 'ok', notices: ['it has 600 tools; only the first 500 are used'] });
});

test("a hostile pattern in a tool's schema does not stop the worker", async () => {
  const { tool } = await setting([rogue(['odd'])]);
  const slow = await tool('mcp__rogue__slow-pattern');
  expect(slow.summarize({ word: `${'a'.repeat(40)}!` })).toContain('aaaa');
});

test('input that does not fit never reaches the server, and input that fits reaches it as it is', async () => {
  const { tool, context } = await setting([rogue()]);
  const steps = await tool('mcp__rogue__steps');
  expect(() => steps.summarize({ steps: 'many' })).toThrow(ToolError);
  expect(() => steps.summarize('steps')).toThrow(ToolError);
  expect(await failure(steps.run({}, await context()))).toMatchObject({ kind: 'invalid_params' });
  expect(steps.summarize({ steps: 2 })).toBe('rogue: steps {"steps":2}');
  const count = await tool('mcp__rogue__count');
  expect((await count.run({}, await context())).text).toMatch(/^count 1 /);
});

test('a run sees a call as any other: checked, shown, run, asked about', async () => {
  const { definitions, pool, context } = await setting([rogue(['odd'])]);
  const all = await definitions();
  const registry = createRegistry([], (definition) => createMcpTool(definition, pool));
  const given = await context({ definitions: all });
  const scene = { definitions: all, look: given };
  const call = { name: 'mcp__rogue__steps', input: { steps: 1, ms: 1 } };
  expect(await registry.check(call, scene)).toMatchObject({ summary: 'rogue: steps {"steps":1,"ms":1}' });
  expect(await registry.check({ ...call, input: { steps: 'x'.repeat(5_000) } }, scene)).toMatchObject({
    problem: { kind: 'invalid_params', message: expect.stringContaining('Expected input, as JSON schema') },
  });
  expect(await registry.foretell(call, scene)).toBe(
    'Tool "steps" of the MCP server "rogue" with:\n{\n  "steps": 1,\n  "ms": 1\n}',
  );
  expect(await registry.run(call, given)).toMatchObject({
    kind: 'ended',
    result: { status: 'success', content: 'all steps done' },
  });
  expect(await registry.run({ name: 'mcp__rogue__color', input: {} }, given)).toMatchObject({ kind: 'asks' });
  expect(await registry.run({ name: 'mcp__rogue__die', input: {} }, given)).toMatchObject({
    kind: 'ended',
    result: { status: 'unknown', error: 'outcome_unknown' },
  });
});

test('a server cannot send the client, and its headers, somewhere else', async () => {
  const hits: string[] = [];
  const listen = async (handle: RequestListener): Promise<string> => {
    const server = createServer(handle);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const elsewhere = await listen((request, response) => {
    hits.push(JSON.stringify(request.headers));
    response.writeHead(500).end();
  });
  const redirecting = await listen((_request, response) => {
    response.writeHead(307, { location: `${elsewhere}/mcp` }).end();
  });
  const naming = await listen((request, response) => {
    if (request.url !== '/mcp') response.writeHead(404).end();
    else {
      const metadata = `${elsewhere}/.well-known/oauth-protected-resource`;
      response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` }).end();
    }
  });
  const headers = { 'x-api-key': 'the-key-for-one-server' };
  const auth = { type: 'client_credentials', clientId: 'me', clientSecret: 'my-own-secret' } as const;
  const { listed } = await setting([
    { type: 'http', name: 'a', url: `${redirecting}/mcp`, headers },
    { type: 'sse', name: 'b', url: `${redirecting}/mcp`, headers },
    { type: 'ws', name: 'c', url: `${redirecting.replace('http', 'ws')}/mcp`, headers },
    { type: 'http', name: 'd', url: `${naming}/mcp`, headers, auth },
  ]);
  expect((await listed()).map(({ kind }) => kind)).toEqual(['broken', 'broken', 'broken', 'broken']);
  // It did look there for where tokens are to be had.
  expect(hits.length).toBeGreaterThan(0);
  expect(hits.join('\n')).not.toMatch(/the-key-for-one-server|my-own-secret/);
});

test('a definition of something else makes no tool', async () => {
  const { definitions, pool } = await setting([rogue()]);
  const [definition] = await definitions();
  if (definition === undefined) throw new Error('Cannot go on: no tools');
  const { origin: _origin, ...builtIn } = definition;
  expect(createMcpTool(builtIn, pool)).toBeUndefined();
});
