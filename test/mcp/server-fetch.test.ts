import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { serverFetch } from '../../src/mcp/server-fetch.ts';

/** More than what comes at once over a socket. */
const BYTES_MAX = 200_000;

/** Reads an answer that comes in these pieces. */
async function read(type: string, pieces: readonly string[]): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': type });
    for (const piece of pieces) response.write(piece);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const response = await serverFetch({ server: url, headers: {}, bytesMax: BYTES_MAX })(url);
  return await response.text();
}

const STREAM = 'text/event-stream; charset=utf-8';
const line = `data: ${'x'.repeat(19_990)}`;
const times = (count: number, text: string): string[] => Array.from({ length: count }, () => text);

const within: [what: string, type: string, pieces: readonly string[]][] = [
  ['a body that is just as long as it may be', 'application/json', times(10, 'x'.repeat(20_000))],
  ['a stream of many events', STREAM, times(50, `event: message\n${line}\n\n`)],
  ['a stream whose lines end in two characters', STREAM, times(50, `${line}\r\n\r\n`)],
  ['a stream that comes a few characters at a time', STREAM, [...'data: x\r\n\r\n'.repeat(30_000)]],
  ['a stream that is kept open by comments', STREAM, times(50_000, ': still here\n\n')],
];
test.each(within)('%s is read whole', async (_what, type, pieces) => {
  expect(await read(type, pieces)).toBe(pieces.join(''));
});

const beyond: [what: string, type: string, pieces: readonly string[]][] = [
  ['a body that is longer', 'application/json', times(11, 'x'.repeat(20_000))],
  ['one event of a single line', STREAM, [`data: ${'x'.repeat(BYTES_MAX)}`]],
  ['one event of many lines', STREAM, times(20, `${line}\n`)],
  ['one event of many lines that end in two characters', STREAM, times(20, `${line}\r\n`)],
  ['an event that is too long after one that is not', STREAM, [`${line}\n\n`, ...times(20, `${line}\n`)]],
];
test.each(beyond)('%s is broken off', async (_what, type, pieces) => {
  await expect(read(type, pieces)).rejects.toThrow(`larger than ${BYTES_MAX} bytes`);
});
