import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { mcpServerDigest } from '../../src/config/mcp-servers.ts';
import { findMarked } from '../../src/tools/shell/process-tree.ts';
import { until } from '../tools/situation.ts';
import { failure, processServer, rogue, rogueOverNetwork, setting } from './setting.ts';

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const pidIn = (text: string): number => Number(text.split(' ').at(-1));

test('calls share one connection, also when they come at once', async () => {
  const { tool, context } = await setting([rogue()]);
  const look = await tool('mcp__rogue__look');
  const given = await context();
  const texts = await Promise.all(Array.from({ length: 20 }, async () => (await look.run({}, given)).text));
  expect(new Set(texts.map(pidIn)).size).toBe(1);
});

test('an idle connection is closed, with its process, and opened again when needed', async () => {
  const { tool, context } = await setting([rogue()], { idleMs: 200 });
  const look = await tool('mcp__rogue__look');
  const pid = pidIn((await look.run({}, await context())).text);
  await until('the process is gone', () => !isAlive(pid));
  expect(pidIn((await look.run({}, await context())).text)).not.toBe(pid);
});

test('a server that may no longer be used is not called, and its process ends', async () => {
  const server = rogue();
  const known = { isTrusted: true };
  const { tool, context } = await setting([server], {
    find: async () => await Promise.resolve(known.isTrusted ? server : undefined),
  });
  const look = await tool('mcp__rogue__look');
  const pid = pidIn((await look.run({}, await context())).text);
  known.isTrusted = false;
  expect((await failure(look.run({}, await context()))).message).toContain('its folder is not trusted');
  await until('the process is gone', () => !isAlive(pid));
});

test('closing ends every process, also one that ignores it and one that the server left behind', async () => {
  const worker = `pool-test-${process.pid}`;
  const { tool, context, pool } = await setting([rogue(['stubborn'])], { markers: { NIGHTSHIFT_WORKER: worker } });
  const launch = await tool('mcp__rogue__launch');
  await launch.run({}, await context());
  const marker = { name: 'NIGHTSHIFT_WORKER', value: worker };
  expect(await findMarked(marker)).toHaveLength(2);
  await pool.close();
  expect(await findMarked(marker)).toEqual([]);
  const look = failure(launch.run({}, await context()));
  expect(await look).toMatchObject({ message: expect.stringContaining('the worker is ending') });
});

test('a server that dies again and again is started ever more seldom', async () => {
  const { tool, context } = await setting([rogue()]);
  const die = await tool('mcp__rogue__look-die');
  const started = performance.now();
  for (let time = 0; time < 3; time += 1) await failure(die.run({}, await context()));
  const third = performance.now() - started;
  // It died at once three times: the second try waits half a second, the third one second.
  expect(third).toBeGreaterThan(1_400);
});

test('waiting for a server can be cancelled', async () => {
  const silent = rogue(['silent']);
  const { pool, workspace } = await setting([silent], { startMs: 300_000 });
  const target = { server: 'rogue', config: mcpServerDigest(silent), workspace };
  const stop = new AbortController();
  const waiting = failure(pool.use(target, stop.signal, async () => 'connected'));
  await sleep(200);
  stop.abort(new Error('no longer wanted'));
  expect((await waiting).message).toBe('no longer wanted');
});

test('a server works in the folder of the workspace, with a clean environment', async () => {
  const server = rogue(['${workspaceFolder}/x', '${FROM_WORKER}', '${NOT_SET:-preset}'], {
    env: { KEY: 'k-${env:FROM_WORKER}', SECRET_KEY: 'written down here' },
  });
  const { tool, context, workspace, secrets } = await setting([server], {
    environment: { PATH: process.env['PATH'], FROM_WORKER: 's3cret-of-the-worker', ANTHROPIC_API_KEY: 'sk-ant-nobody' },
    markers: { NIGHTSHIFT_WORKER: 'w1' },
  });
  const environment = await tool('mcp__rogue__environment');
  const seen = JSON.parse((await environment.run({}, await context())).text) as Record<string, string>;
  expect(seen).toMatchObject({
    cwd: workspace,
    argv: ['stdio', `${workspace}/x`, 's3cret-of-the-worker', 'preset'],
    KEY: 'k-s3cret-of-the-worker',
    NIGHTSHIFT_WORKER: 'w1',
  });
  expect(seen).not.toHaveProperty('ANTHROPIC_API_KEY');
  expect(new Set(secrets)).toEqual(new Set(['s3cret-of-the-worker', 'written down here']));
});

test('a secret is in no definition, no summary, no preview and no error', async () => {
  const secret = 'v3ry-s3cret-indeed';
  const server = rogue([`--token=\${TOKEN}`], { env: { TOKEN: '${TOKEN}' } });
  const broken = { ...rogue(['exit', '${TOKEN}'], { env: { TOKEN: '${TOKEN}' } }), name: 'broken' };
  const url = { type: 'http', name: 'remote', url: 'http://127.0.0.1:9/${TOKEN}', headers: { a: '${TOKEN}' } } as const;
  const odd = { type: 'http', name: 'odd', url: 'no address ${TOKEN}', headers: {} } as const;
  const header = {
    type: 'http',
    name: 'header',
    url: 'http://127.0.0.1:9/',
    headers: { 'x-key': '${TOKEN}\n' },
  } as const;
  const absent = { ...processServer('absent', []), command: '/no/such/${TOKEN}' };
  const place = await setting([server, broken, url, odd, header, absent], {
    environment: { ...process.env, TOKEN: secret },
  });
  const listed = await place.listed();
  expect(listed.map(({ kind }) => kind)).toEqual(['ok', 'broken', 'broken', 'broken', 'broken', 'broken']);
  expect(JSON.stringify(listed)).not.toContain(secret);
  expect(place.secrets).toContain(secret);
});

test('a secret that a server tells in its definitions, its instructions or its questions is taken out', async () => {
  const secret = 'v3ry-s3cret-indeed';
  const environment = { ...process.env, TOKEN: secret };
  const talkative = rogue(['talkative'], { env: { TOKEN: '${TOKEN}' } });
  const place = await setting([talkative], { environment });
  const talk = (await place.definitions()).find(({ name }) => name === 'mcp__rogue__talk');
  expect(talk).toMatchObject({
    description: 'Talks, logged in with [hidden].',
    inputSchema: { type: 'object', properties: { key: { description: 'Such as [hidden].', default: '[hidden]' } } },
    instructions: expect.stringContaining('You are logged in with [hidden].'),
  });
  const modern = await setting([rogue(['modern'], { env: { TOKEN: '${TOKEN}' } })], { environment });
  const confess = await modern.tool('mcp__rogue__confess');
  const { question } = await confess.run({}, await modern.context());
  expect(question).toMatchObject({
    message: expect.stringContaining('Go on with [hidden]?'),
    state: expect.stringContaining('Go on with [hidden]?'),
  });
});

test('a server over WebSocket lists, answers, shows progress, and is missed when it is gone', async () => {
  const { port, kill } = await rogueOverNetwork('ws', ['keyed']);
  const server = {
    type: 'ws',
    name: 'rogue',
    url: `ws://127.0.0.1:${port}/`,
    headers: { Authorization: 'Bearer ${KEY}' },
  } as const;
  const { tool, context } = await setting([server], { environment: { KEY: 'let-me-in-please' } });
  const look = await tool('mcp__rogue__look');
  expect((await look.run({}, await context())).text).toMatch(/^look 1 /);
  const junk = await tool('mcp__rogue__junk');
  expect((await junk.run({}, await context())).text).toBe('after the junk');
  const live: string[] = [];
  const steps = await tool('mcp__rogue__steps');
  await steps.run({ steps: 3 }, await context({ live: (line) => void live.push(line) }));
  expect(live.join('')).toContain('1 of 3: working\n2 of 3: working\n');
  const hang = await tool('mcp__rogue__hang');
  const running = failure(hang.run({}, await context()));
  await sleep(200);
  await kill();
  expect(await running).toMatchObject({ kind: 'outcome_unknown' });
  expect(await failure(look.run({}, await context()))).toMatchObject({ kind: 'execution_failed', passing: true });
});

test('a server over WebSocket that floods, dies or refuses ends its own calls only', async () => {
  const { port } = await rogueOverNetwork('ws', ['keyed']);
  const url = `ws://127.0.0.1:${port}/`;
  const good = { type: 'ws', name: 'good', url, headers: { Authorization: 'Bearer let-me-in-please' } } as const;
  const refused = { type: 'ws', name: 'refused', url, headers: {} } as const;
  const { tool, context, listed } = await setting([good, refused]);
  const [first, second] = await listed();
  expect([first?.kind, second?.kind]).toEqual(['ok', 'broken']);
  const place = await setting([good]);
  const flood = await place.tool('mcp__good__flood');
  expect(await failure(flood.run({}, await place.context()))).toMatchObject({ kind: 'outcome_unknown' });
  const look = await place.tool('mcp__good__look');
  expect((await look.run({}, await context())).text).toMatch(/^look/);
  expect(tool).toBeDefined();
});

test('a modern server over WebSocket is found out when it refuses the old handshake', async () => {
  const { port } = await rogueOverNetwork('ws', ['modern']);
  const server = { type: 'ws', name: 'rogue', url: `ws://127.0.0.1:${port}/`, headers: {} } as const;
  const { tool, context } = await setting([server]);
  const data = await tool('mcp__rogue__data');
  expect((await data.run({}, await context())).text).toBe('{\n  "answer": 42\n}');
});
