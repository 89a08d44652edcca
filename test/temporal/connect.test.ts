import { once } from 'node:events';
import { createServer as createHttp2Server } from 'node:http2';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type ClientConnection, connectClient } from '../../src/temporal/connect.ts';
import { connectWorker } from '../../src/temporal/connect-worker.ts';
import { NotAllowed, ServerUnreachable } from '../../src/temporal/errors.ts';
import { ensureSearchAttributes, searchAttributeKeys } from '../../src/temporal/search-attributes.ts';

const target = { address: inject('temporalAddress'), namespace: 'default' };

interface Listening {
  readonly address: string;
  readonly close: () => void;
}

async function listen(server: Server): Promise<Listening> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { address: `127.0.0.1:${port}`, close: () => void server.close() };
}

/** Answers every gRPC call with the same status. */
async function refusingServer(status: number): Promise<Listening> {
  const server = createHttp2Server();
  server.on('stream', (stream) => {
    stream.on('error', () => undefined);
    stream.respond(
      {
        ':status': 200,
        'content-type': 'application/grpc',
        'grpc-status': String(status),
        'grpc-message': 'no such key',
      },
      { endStream: true },
    );
  });
  return await listen(server);
}

describe('a server that answers', () => {
  let connected: ClientConnection;
  beforeAll(async () => {
    connected = await connectClient(target);
  });
  afterAll(async () => {
    await connected.close();
  });

  test('a client and a worker connect', async () => {
    const worker = await connectWorker(target);
    await worker.close();
    expect(connected.client.options.namespace).toBe('default');
  });

  test('ensureSearchAttributes() finds them on the dev server, and may be called again', async () => {
    await ensureSearchAttributes(connected.connection, 'default');
    await ensureSearchAttributes(connected.connection, 'default');
    const { customAttributes } = await connected.connection.operatorService.listSearchAttributes({
      namespace: 'default',
    });
    for (const { name } of Object.values(searchAttributeKeys)) expect(customAttributes).toHaveProperty(name);
  });

  test('a namespace that does not exist is told by name', async () => {
    const wrong = connectClient({ ...target, namespace: 'nowhere' });
    await expect(wrong).rejects.toThrow('Cannot use the namespace "nowhere": ');
  });
});

describe.concurrent.each([
  ['connectClient', connectClient],
  ['connectWorker', connectWorker],
])('%s()', (_name, connect) => {
  test('a port where nothing listens is unreachable', async () => {
    const { address, close } = await listen(createServer());
    close();
    const failure = connect({ address, namespace: 'default' });
    await expect(failure).rejects.toThrow(ServerUnreachable);
    await expect(failure).rejects.toThrow(`Cannot reach the Temporal server at "${address}": `);
    await expect(failure).rejects.not.toThrow('\n');
  });

  test('a port that takes connections and says nothing is unreachable, not a wait for ever', async () => {
    const silent = await listen(createServer());
    await expect(connect({ address: silent.address, namespace: 'default' })).rejects.toThrow(ServerUnreachable);
    silent.close();
  });

  test.each([
    ['UNAUTHENTICATED', 16],
    ['PERMISSION_DENIED', 7],
  ])('%s is not allowed', async (_code, status) => {
    const server = await refusingServer(status);
    const failure = connect({ address: server.address, namespace: 'default', apiKey: 'wrong', tls: false });
    await expect(failure).rejects.toThrow(NotAllowed);
    await expect(failure).rejects.toThrow(`Cannot use the Temporal server at "${server.address}": `);
    server.close();
  });
});
