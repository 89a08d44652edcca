import { expect, test } from 'vitest';
import type { McpAuth, McpServer } from '../../src/contract/mcp-server.ts';
import { rogueOverNetwork, setting } from './setting.ts';

async function protectedServer(flags: readonly string[], auth: Partial<McpAuth> | undefined): Promise<McpServer> {
  const { port } = await rogueOverNetwork('http', ['oauth', ...flags]);
  const credentials = { type: 'client_credentials', clientId: 'robot', clientSecret: '${SECRET}', ...auth } as McpAuth;
  const server = { type: 'http', name: 'rogue', url: `http://127.0.0.1:${port}/mcp`, headers: {} } as const;
  return auth === undefined ? server : { ...server, auth: credentials };
}

const environment = { SECRET: 'open-sesame-please' };

test.each([[[]], [['modern']]])('client credentials get tokens, again when one is used up (%s)', async (flags) => {
  const place = await setting([await protectedServer(flags, {})], { environment });
  const look = await place.tool('mcp__rogue__data');
  for (let call = 0; call < 12; call += 1) {
    expect((await look.run({}, await place.context())).text).toContain('42');
  }
  expect(place.secrets).toContain('open-sesame-please');
  expect(place.secrets.filter((secret) => /^token-number-\d$/.test(secret)).length).toBeGreaterThan(1);
});

test('credentials go to the authorization server that the configuration names', async () => {
  const server = await protectedServer([], {});
  if (server.type === 'stdio' || server.auth === undefined) throw new Error('Cannot go on: nothing is protected');
  const auth: McpAuth = { ...server.auth, issuer: new URL(server.url).origin };
  const place = await setting([{ ...server, auth }], { environment });
  expect((await (await place.tool('mcp__rogue__data')).run({}, await place.context())).text).toContain('42');
});

const refusals: [why: string, auth: Partial<McpAuth> | undefined][] = [
  ['without credentials', undefined],
  ['with a wrong secret', { clientSecret: 'close-sesame' }],
  [
    'when the server names another authorization server than the configuration',
    { issuer: 'https://login.example.com' },
  ],
];
test.each(refusals)('nothing is listed %s, and no secret is in the reason', async (_why, auth) => {
  const place = await setting([await protectedServer([], auth)], { environment });
  const [listed] = await place.listed();
  expect(listed).toMatchObject({ kind: 'broken', why: expect.stringContaining('Cannot connect to "rogue"') });
  expect(JSON.stringify(listed)).not.toMatch(/sesame|token-number/);
});
