import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Pages {
  readonly port: number;
  /** Requests so far. */
  readonly requests: readonly IncomingMessage[];
  /** Connections so far, also those without a request. */
  readonly connections: () => number;
}

/** A real server on this machine that ends with the test. */
export async function servePages(answer: RequestListener, host = '127.0.0.1'): Promise<Pages> {
  const requests: IncomingMessage[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  server.on('connection', () => (connections += 1));
  server.listen(0, host);
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, requests, connections: () => connections };
}
