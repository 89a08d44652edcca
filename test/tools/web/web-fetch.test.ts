import type { IncomingMessage, ServerResponse } from 'node:http';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { TOOL_OUTPUT_CHARACTERS_MAX } from '../../../src/contract/limits.ts';
import { createWebFetchTool } from '../../../src/tools/web/web-fetch.ts';
import { oneTool } from '../one-tool.ts';
import { servePages } from './pages.ts';
import { plain, reaching } from './reaching.ts';

const html = { 'content-type': 'text/html' };

describe('redirects', () => {
  test('are followed on the same site, five of them', async () => {
    const { fetch, pages } = await reaching((request, response) => {
      const step = Number(request.url?.slice(1));
      if (step === 5) return void response.writeHead(200, plain).end('there');
      const host = step % 2 === 0 ? 'www.example.test' : 'example.test';
      response
        .writeHead(302, { location: `http://${host}:${request.socket.localPort}/${step + 1}`, 'set-cookie': 'a=b' })
        .end();
    });
    const { content, status } = await fetch('/0');
    expect(status).toBe('success');
    expect(content).toMatch(/^http:\/\/www\.example\.test:\d+\/5\nStatus 200, text\/plain\n[^\n]*\n\nthere$/);
    expect(pages.requests.map(({ headers }) => headers.cookie)).toEqual(Array.from({ length: 6 }));
  });

  test('lead to the page that is meant, when its name is not in ASCII', async () => {
    const location = Buffer.from('/café').toString('latin1');
    const { fetch, pages } = await reaching((request, response) =>
      request.url === '/' ? response.writeHead(302, { location }).end() : response.writeHead(200, plain).end('there'),
    );
    expect((await fetch('/')).content).toMatch(/there$/);
    expect(pages.requests.map(({ url }) => url)).toEqual(['/', '/caf%C3%A9']);
  });

  test('without end are given up', async () => {
    const { fetch, pages } = await reaching((_request, response) => response.writeHead(301, { location: '/' }).end());
    expect((await fetch('/')).content).toMatch(/it redirects without end$/);
    expect(pages.requests).toHaveLength(6);
  });

  test('to another host are told and not followed, because nobody decided about that host', async () => {
    const { fetch, pages } = await reaching((request, response) =>
      response.writeHead(302, { location: `http://elsewhere.test:${request.socket.localPort}/?secret` }).end(),
    );
    const { content, status } = await fetch('/');
    expect(status).toBe('success');
    expect(content).toMatch(/another host.*\nhttp:\/\/elsewhere\.test:\d+\/\?secret$/s);
    expect(pages.requests).toHaveLength(1);
  });
});

test('a redirect to a name of the same site that a rule is about is told and not followed', async () => {
  const asked: string[] = [];
  const mayReach = (host: string): boolean => asked.push(host) === 0;
  const { fetch, pages } = await reaching(
    (request, response) =>
      response.writeHead(302, { location: `http://www.example.test:${request.socket.localPort}/` }).end(),
    {},
    { mayReach },
  );
  expect((await fetch('/')).content).toMatch(/another host.*\nhttp:\/\/www\.example\.test:\d+\/$/s);
  expect([asked, pages.requests.length]).toEqual([['www.example.test'], 1]);
});

describe('content', () => {
  test('of a page is its text, with title and links and without scripts', async () => {
    const { fetch } = await reaching((_request, response) =>
      response
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
        .end(
          '<html><head><title>Über &amp; uns</title><style>x{}</style></head><body><script>evil()</script><h1>Head</h1><p>One <a href="/two">two</a></p></body></html>',
        ),
    );
    const { content } = await fetch('/');
    expect(content).toMatch(/Über & uns\n\nHead\n\nOne two \[http:\/\/example\.test:\d+\/two\]$/);
    expect(content).not.toMatch(/evil|x\{\}/);
  });

  const utf8 = Buffer.from('grün');
  const latin = Buffer.from('grün', 'latin1');
  const charsets: [name: string, type: string, body: Buffer][] = [
    ['of the header', 'text/plain; charset=iso-8859-1', latin],
    ['of the header in quotes', 'text/plain;charset="ISO-8859-1"', latin],
    ['of a byte order mark before the header', 'text/plain; charset=iso-8859-1', Buffer.from('\uFEFFgrün')],
    ['of a two-byte mark', 'text/plain', Buffer.from('\uFEFFgrün', 'utf16le')],
    ['of the page', 'text/html', Buffer.from('<meta charset="latin1"><p>grün</p>', 'latin1')],
    ['of a page that says what cannot be', 'text/html', Buffer.from('<meta charset="utf-16"><p>grün</p>')],
    ['of XML', 'text/xml', Buffer.from('<?xml encoding="latin1"?>\n\ngrün', 'latin1')],
    ['of its own and not one it speaks of', 'text/plain', Buffer.from('charset=utf-16\n\ngrün')],
    ['that is not named and is UTF-8', 'text/plain', utf8],
    ['that is not named and is not UTF-8', 'text/plain', latin],
    ['that nobody knows', 'text/plain; charset=klingon', utf8],
    ['of text in many bytes', 'text/plain; charset=shift_jis', Buffer.from('83658358836720', 'hex')],
  ];
  test.each(charsets)('is decoded by the charset %s', async (_name, type, body) => {
    const { fetch } = await reaching((_request, response) =>
      response.writeHead(200, { 'content-type': type }).end(body),
    );
    expect((await fetch('/')).content).toMatch(/\n\n(?:grün|テスト ?)$/);
  });

  test.each([
    ['gzip', gzipSync('packed')],
    ['deflate', deflateSync('packed')],
    ['deflate', deflateRawSync('packed')],
    ['br', brotliCompressSync('packed')],
    ['identity', Buffer.from('packed')],
  ])('packed by %s is unpacked', async (encoding, body) => {
    const { fetch } = await reaching((_request, response) =>
      response.writeHead(200, { ...plain, 'content-encoding': encoding }).end(body),
    );
    expect((await fetch('/')).content).toMatch(/\n\npacked$/);
  });

  test.each([
    ['JSON', 'application/json', '{"a":[1,2]}'],
    ['JSON of a kind', 'application/problem+json', '{"a":1}'],
    ['XML', 'application/rss+xml', '<rss/>'],
    ['Markdown', 'text/markdown', '# <b>Head</b>'],
    ['text without a type', undefined, 'just text'],
  ])('that is %s is given as it is', async (_name, type, body) => {
    const { fetch } = await reaching((_request, response) =>
      response.writeHead(200, type === undefined ? {} : { 'content-type': type }).end(body),
    );
    expect((await fetch('/')).content.endsWith(`\n\n${body}`)).toBe(true);
  });

  test.each([
    ['a picture', { 'content-type': 'image/png' }, 'it is image/png, and only text can be read'],
    ['bytes', { 'content-type': 'application/octet-stream' }, 'it is application/octet-stream'],
    ['bytes that call themselves text', plain, 'it is something that is not text'],
    ['bytes without a type', {}, 'it is something that is not text'],
    ['an unknown packing', { ...plain, 'content-encoding': 'zstd' }, 'packed in a way that was not asked for'],
    ['broken packing', { ...plain, 'content-encoding': 'gzip' }, 'its body is damaged'],
  ])('that is %s is refused with a word for it', async (_name, headers, reason) => {
    const { fetch } = await reaching((_request, response) =>
      response.writeHead(200, headers).end(Buffer.from([1, 0, 2, 3])),
    );
    const { status, content } = await fetch('/');
    expect([status, content]).toEqual(['error', expect.stringContaining(reason)]);
  });

  test('of an error page is told as an error', async () => {
    const { fetch } = await reaching((_request, response) => response.writeHead(404, plain).end('no such page'));
    expect(await fetch('/')).toMatchObject({
      status: 'error',
      error: 'execution_failed',
      content: expect.stringMatching(/Status 404.*no such page$/s) as string,
    });
  });
});

describe('limits', () => {
  test('a small body that unpacks into gigabytes takes no more memory than a large one', async () => {
    const bomb = gzipSync(Buffer.alloc(400_000_000, 'a'));
    const { fetch } = await reaching((_request, response) =>
      response.writeHead(200, { ...plain, 'content-encoding': 'gzip' }).end(bomb),
    );
    const before = process.memoryUsage().rss;
    const { content, status } = await fetch('/');
    expect(status).toBe('success');
    expect(content).toContain('Only the first 5 MB were read.');
    expect(content).toContain('Cut after 20000 of 5000000 characters.');
    expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
  });

  test('a body without end is cut', async () => {
    const { fetch } = await reaching((_request, response) => {
      response.writeHead(200, plain);
      const more = (): void => void (response.writable && response.write('x'.repeat(65_536), more));
      more();
    });
    expect((await fetch('/', { maxCharacters: 100 })).content).toMatch(/MB were read\.\nCut after 100 of/);
  });

  test('a page that nests without end does not hold the worker', async () => {
    const { fetch } = await reaching((_request, response) =>
      response.writeHead(200, html).end('<p><b>'.repeat(300_000)),
    );
    let ticks = 0;
    const ticking = setInterval(() => (ticks += 1), 20);
    const { status, error } = await fetch('/');
    clearInterval(ticking);
    expect([status, error]).toEqual(['error', 'timeout']);
    expect(ticks).toBeGreaterThan(50);
  });

  test('the output is never longer than outputs may be', async () => {
    const { fetch } = await reaching((_request, response) => response.writeHead(200, plain).end('🙂'.repeat(100_000)));
    const { content } = await fetch(`/${'x'.repeat(1_900)}`, { maxCharacters: 47_000 });
    expect(content.length).toBeLessThanOrEqual(TOOL_OUTPUT_CHARACTERS_MAX);
    expect(Buffer.from(content).toString()).toBe(content);
  });

  test.each([
    ['does not answer', () => {}],
    [
      'stops in the middle',
      (_request: IncomingMessage, response: ServerResponse) => void response.writeHead(200, plain).write('a'),
    ],
  ])('a server that %s is given up', async (_name, answer) => {
    const { fetch } = await reaching(answer, { fetchMs: 300 });
    expect(await fetch('/')).toMatchObject({ status: 'error', error: 'timeout' });
  });

  test('a name server that does not answer is given up', async () => {
    const { fetch } = await reaching(() => {}, { fetchMs: 300, resolve: async () => await new Promise(() => {}) });
    expect(await fetch('/')).toMatchObject({ status: 'error', error: 'timeout' });
  });

  test('a cancelled call ends at once', async () => {
    const cancel = new AbortController();
    const { fetch } = await reaching(() => setTimeout(() => cancel.abort(new Error('enough')), 20));
    await expect(fetch('/', {}, cancel.signal)).rejects.toThrow('enough');
  });
});

test('failures of the network may be gone the next time, and say what is wrong', async () => {
  const tool = createWebFetchTool({ allowAddress: () => true, resolve: async () => ['127.0.0.1'] });
  const { context } = await oneTool(tool);
  const server = await servePages((_request, response) => response.socket?.destroy());
  const at = async (port: number): Promise<unknown> =>
    await tool.run({ url: `http://example.test:${port}/` }, context).catch((error: unknown) => error);
  expect(await at(server.port)).toMatchObject({
    passing: true,
    message: expect.stringMatching(/the connection broke$/) as string,
  });
  expect(await at(1)).toMatchObject({
    passing: true,
    message: expect.stringMatching(/refuses the connection$/) as string,
  });
});

test('what is decided about is the host and the line that is sent', async () => {
  const tool = createWebFetchTool();
  const { context, check } = await oneTool(tool);
  const input = { url: 'HTTPS://Example.COM.:8443/a b'.replace(' ', '%20') };
  expect(await tool.touches?.(input, context)).toEqual([{ kind: 'domain', host: 'example.com' }]);
  expect(await tool.preview?.(input, context)).toBe('GET https://example.com.:8443/a%20b');
  expect(tool.summarize(input)).toBe('Fetch https://example.com.:8443/a%20b');
  expect(await check({ url: 'http://a:secret@example.com/' })).toMatchObject({
    problem: { kind: 'invalid_params', message: expect.not.stringContaining('secret') as string },
  });
});
