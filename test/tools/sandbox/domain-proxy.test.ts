import { createServer } from 'node:http';
import { once } from 'node:events';
import { request, type RequestOptions } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isAllowedHost, startDomainProxy, type ProxyOptions } from '../../../src/tools/sandbox/domain-proxy.ts';
import { cannotConfine, confinedSituation } from './confined-situation.ts';

const hosts: [host: string, domains: string[], allowed: boolean][] = [
  ['example.com', ['example.com'], true],
  ['EXAMPLE.com.', ['example.COM'], true],
  ['www.example.com', ['example.com'], false],
  ['www.example.com', ['*.example.com'], true],
  ['a.b.example.com', ['*.example.com'], true],
  ['example.com', ['*.example.com'], false],
  ['.example.com', ['*.example.com'], false],
  ['evilexample.com', ['*.example.com', 'example.com'], false],
  ['example.com.evil.org', ['*.example.com', 'example.com'], false],
  ['127.0.0.1', ['example.com'], false],
  ['example.com', [], false],
];
test.each(hosts)('isAllowedHost(): %s, with %j: %s', (host, domains, allowed) => {
  expect(isAllowedHost(host, domains)).toBe(allowed);
});

interface Answer {
  readonly status: number | undefined;
  readonly text: string;
}

/** A site on this machine, behind a proxy that takes its address for public when told to. */
async function behindProxy(options: Partial<ProxyOptions>): Promise<(wish: RequestOptions) => Promise<Answer>> {
  const site = createServer((_asked, answer) => answer.end('the site'));
  site.listen(0, '127.0.0.1');
  await once(site, 'listening');
  const address = site.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const proxy = await startDomainProxy({
    domains: ['site.test', '*.site.test'],
    resolve: async () => ['127.0.0.1'],
    ports: [port],
    ...options,
  });
  onTestFinished(async () => {
    site.close();
    await proxy.close();
  });
  return async (wish) => {
    const fill = (text: string): string => text.replace('PORT', String(port));
    const asked = request({ socketPath: proxy.socket, agent: false, ...wish, path: fill(String(wish.path)) }).end();
    return await new Promise((resolve, reject) => {
      asked.on('error', reject);
      asked.on('connect', (response, socket) => {
        socket.destroy();
        resolve({ status: response.statusCode, text: '' });
      });
      asked.on('response', (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => resolve({ status: response.statusCode, text }));
      });
    });
  };
}

const local = { permits: (address: string) => address === '127.0.0.1' };

describe('the way out of a sandbox', () => {
  const cases: [name: string, options: Partial<ProxyOptions>, wish: RequestOptions, status: number, text: RegExp][] = [
    ['leads to a listed domain', local, { path: 'http://site.test:PORT/' }, 200, /^the site$/],
    ['leads to one below it, through a tunnel', local, { method: 'CONNECT', path: 'a.site.test:PORT' }, 200, /^/],
    ['leads nowhere else', local, { path: 'http://other.test:PORT/' }, 403, /"other.test" is not allowed/],
    ['leads nowhere else, through a tunnel', local, { method: 'CONNECT', path: 'other.test:PORT' }, 403, /^/],
    ['leads to no private address', {}, { path: 'http://site.test:PORT/' }, 403, /at no public address/],
    ['leads to no private address, through a tunnel', {}, { method: 'CONNECT', path: 'site.test:PORT' }, 403, /^/],
    ['leads to no other port', { ...local, ports: [443] }, { path: 'http://site.test:PORT/' }, 403, /port \d+ is not/],
    ['leads to no address without a name', local, { path: 'http://127.0.0.1:PORT/' }, 403, /is not allowed/],
    [
      'leads to no such address even if listed',
      { ...local, domains: ['127.0.0.1'] },
      { path: 'http://127.0.0.1:PORT/' },
      403,
      /only names/,
    ],
    ['leads nowhere without a host', local, { method: 'CONNECT', path: 'x' }, 403, /^/],
    ['is no site itself', local, { path: '/' }, 403, /not an address of the web/],
    [
      'says when a name is not known',
      { ...local, resolve: async () => await Promise.reject(new Error('no')) },
      { path: 'http://site.test:PORT/' },
      403,
      /is not known/,
    ],
  ];
  test.each(cases)('%s', async (_name, options, wish, status, text) => {
    const ask = await behindProxy(options);
    const answer = await ask(wish);
    expect(answer.status).toBe(status);
    expect(answer.text).toMatch(text);
  });
});

test.runIf(cannotConfine === undefined)(
  'a confined command reaches the proxy, and nothing but through it',
  async () => {
    const { run, registry } = await confinedSituation({ allowedDomains: ['allowed.invalid'] });
    const ask = 'curl -sS -m 5 -o /dev/null -w "%{http_connect} %{http_code}" ';
    const command = `${ask} https://other.invalid; echo; ${ask} http://allowed.invalid; echo; curl -sS -m 5 --noproxy "*" http://allowed.invalid; echo "$HTTPS_PROXY"`;
    const { content } = await run('bash', { command });
    expect(content).toContain('403 000');
    expect(content).toContain('000 403');
    expect(content).toContain('Could not resolve host: allowed.invalid');
    expect(content).toContain('http://127.0.0.1:3128');
    expect(registry.get('bash')?.description).toContain(
      'the network is limited to allowed.invalid, over HTTP and HTTPS',
    );
  },
);
