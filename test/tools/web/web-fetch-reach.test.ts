import { describe, expect, test } from 'vitest';
import { createWebFetchTool } from '../../../src/tools/web/web-fetch.ts';
import { oneTool } from '../one-tool.ts';
import { servePages } from './pages.ts';
import { plain, reaching } from './reaching.ts';

describe('what is not on the public internet', () => {
  const spellings: readonly ((port: number) => string)[] = [
    ...[
      '127.0.0.1',
      '127.1',
      '127.0.1',
      '2130706433',
      '0x7f000001',
      '0x7f.0.0.1',
      '0x7f.1',
      '0177.0.0.1',
      '017700000001',
      '127.0.0.1.',
      '127.000.000.001',
      '0',
      '0.0.0.0',
      '00000000.0x0.0',
      '127.127.127.127',
      'localhost',
      'LOCALHOST',
      'localhost.',
      'sub.localhost',
      'x.localdomain',
      '[::1]',
      '[::]',
      '[0:0:0:0:0:0:0:1]',
      '[0000::0001]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[::127.0.0.1]',
      '[64:ff9b::7f00:1]',
      '[2002:7f00:1::]',
      '127。0。0。1',
      '１２７.０.０.１',
      '①②⑦.⓪.⓪.①',
      '127%2e0%2e0%2e1',
      'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
      'metadata.google.internal',
      '169.254.169.254',
      '0xa9fea9fe',
      '[fd00:ec2::254]',
      '[fe80::1]',
      'user@127.0.0.1',
      'user:password@127.0.0.1',
      'example.com@127.0.0.1',
      '@127.0.0.1',
    ].map((host) => (port: number) => `http://${host}:${port}/`),
    (port) => ` http://127.0.0.1:${port}/`,
    (port) => `http://127.0.0.1:${port}/ `,
    (port) => `ht\ntp://127.0.0.1:${port}/`,
    (port) => `http://127.0\n.0.1:${port}/`,
    (port) => `http://127.0.\t0.1:${port}/`,
    (port) => `http:\\\\127.0.0.1:${port}\\`,
    (port) => `http:127.0.0.1:${port}/`,
    (port) => `http:/127.0.0.1:${port}/`,
    (port) => `http:///127.0.0.1:${port}/`,
    (port) => `//127.0.0.1:${port}/`,
    (port) => `http://example.com\\@127.0.0.1:${port}/`,
    (port) => `http://127.0.0.1:${port}\u202E/`,
    (port) => `HTTP://127.0.0.1:${port}/`,
    (port) => `https://127.0.0.1:${port}/`,
    (port) => `ftp://127.0.0.1:${port}/`,
    (port) => `file:///etc/hostname?${port}`,
    (port) => `data:text/plain,${port}`,
    (port) => `javascript:${port}`,
    (port) => `view-source:http://127.0.0.1:${port}/`,
  ];

  test('is reached by no spelling of its address', async () => {
    const canary = await servePages((_request, response) => response.end('canary'));
    const { run } = await oneTool(createWebFetchTool());
    expect(spellings.length).toBeGreaterThan(40);
    for (const spelling of spellings) {
      const url = spelling(canary.port);
      const { status, error } = await run({ url });
      expect([url, status]).toEqual([url, 'error']);
      expect([url, ['invalid_params', 'permission_denied'].includes(error ?? '')]).toEqual([url, true]);
    }
    expect(canary.connections()).toBe(0);
  });

  test.each([
    ['a name of it', ['127.0.0.1']],
    ['a name of it beside a public address', ['8.8.8.8', '127.0.0.1']],
    ['a name of it as IPv6', ['::ffff:127.0.0.1']],
    ['a name without addresses', []],
  ])('is not reached by %s', async (_name, addresses) => {
    const canary = await servePages((_request, response) => response.end('canary'));
    const { run } = await oneTool(createWebFetchTool({ resolve: async () => addresses }));
    const url = `http://innocent.example:${canary.port}/`;
    expect(await run({ url })).toMatchObject({ error: 'permission_denied' });
    expect(canary.connections()).toBe(0);
  });

  test('is not reached by a name that changes its address between check and connection', async () => {
    let asked = 0;
    const { fetch, pages } = await reaching(
      (_request, response) => response.writeHead(200, plain).end('the pinned one'),
      {
        resolve: async () => ((asked += 1) === 1 ? ['127.0.0.1'] : ['127.0.0.2']),
      },
    );
    const canary = await servePages((_request, response) => response.end('canary'), '127.0.0.2').catch(() => undefined);
    expect((await fetch('/')).content).toContain('the pinned one');
    expect([asked, pages.requests.length, canary?.connections() ?? 0]).toEqual([1, 1, 0]);
    // The second call is judged by the second answer.
    expect(await fetch('/')).toMatchObject({ error: 'permission_denied' });
    expect(pages.requests).toHaveLength(1);
  });

  test.each([
    ['the same name with another address', (port: number) => `http://example.test:${port}/next`],
    ['an address of this machine', (port: number) => `http://127.0.0.1:${port}/next`],
    ['a name of this machine', (port: number) => `http://localhost:${port}/next`],
    ['metadata', () => 'http://169.254.169.254/latest/meta-data/'],
    ['another scheme', () => 'file:///etc/passwd'],
    ['credentials', (port: number) => `http://a:b@example.test:${port}/next`],
  ])('is not reached by a redirect to %s', async (_name, target) => {
    let asked = 0;
    const { fetch, pages } = await reaching(
      (request, response) => {
        if (request.url === '/next') return void response.writeHead(200, plain).end('canary');
        response.writeHead(302, { location: target(Number(request.socket.localPort)) }).end();
      },
      { resolve: async () => ((asked += 1) === 1 ? ['127.0.0.1'] : ['10.0.0.1']) },
    );
    const { content } = await fetch('/');
    expect(content).not.toContain('canary');
    expect(pages.requests.map(({ url }) => url)).toEqual(['/']);
  });
});
