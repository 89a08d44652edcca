// Serves the behaviour over stdio, or over HTTP or WebSocket on a port that is printed.
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { WebSocketServer } from 'ws';
import { createBehaviour } from './behaviour.mjs';

const [, , kind, ...flags] = process.argv;

if (flags.includes('exit')) {
  console.error('no license: the token was t0ken-in-stderr');
  process.exit(1);
}

if (kind === 'stdio') overStdio();
else listen();

function overStdio() {
  const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
  const raw = (words) => process.stdout.write(words);
  if (flags.includes('noisy')) raw('Welcome!\n\n{"hello":\n');
  const answer = createBehaviour(flags, { send, raw });
  createInterface({ input: process.stdin }).on('line', (line) => {
    void answer(JSON.parse(line)).then((reply) => reply && send(reply));
  });
  // A server that does not care whether anybody still listens.
  if (flags.includes('stubborn')) {
    process.on('SIGTERM', () => {});
    setInterval(() => {}, 1_000);
  }
}

function listen() {
  const server = createServer((request, response) => void overHttp(request, response));
  if (kind === 'ws') {
    const sockets = new WebSocketServer({ server, handleProtocols: (protocols) => protocols.has('mcp') && 'mcp' });
    sockets.on('connection', (socket, request) => {
      if (flags.includes('keyed') && request.headers.authorization !== 'Bearer let-me-in-please') {
        socket.close(1_008, 'who are you?');
        return;
      }
      const send = (message) => socket.send(JSON.stringify(message));
      const answer = createBehaviour(flags, { send, raw: (words) => socket.send(words) });
      socket.addEventListener('message', ({ data }) => {
        void answer(JSON.parse(data)).then((reply) => reply && send(reply));
      });
    });
  }
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));
}

const [tokens, uses] = [new Map(), 8];

/** A token endpoint beside the server, whose tokens are good for a few requests only. True when all is answered. */
async function authorize(request, response) {
  const base = `http://127.0.0.1:${request.socket.localPort}`;
  const json = (status, body) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    return true;
  };
  if (request.url.startsWith('/.well-known/oauth-protected-resource')) {
    return json(200, { resource: `${base}/mcp`, authorization_servers: [base] });
  }
  if (request.url.startsWith('/.well-known/oauth-authorization-server')) {
    return json(200, {
      issuer: base,
      token_endpoint: `${base}/token`,
      authorization_endpoint: `${base}/authorize`,
      response_types_supported: ['code'],
      grant_types_supported: ['client_credentials'],
      token_endpoint_auth_methods_supported: ['client_secret_basic'],
    });
  }
  if (request.url === '/token') {
    const expected = `Basic ${Buffer.from('robot:open-sesame-please').toString('base64')}`;
    if (request.headers.authorization !== expected) return json(401, { error: 'invalid_client' });
    const token = `token-number-${tokens.size + 1}`;
    tokens.set(token, uses);
    return json(200, { access_token: token, token_type: 'Bearer', expires_in: 3_600 });
  }
  const token = request.headers.authorization?.replace('Bearer ', '');
  const left = tokens.get(token) ?? 0;
  tokens.set(token, left - 1);
  if (left > 0) return false;
  response.setHeader('www-authenticate', `Bearer resource_metadata="${base}/.well-known/oauth-protected-resource"`);
  return json(401, { error: 'unauthorized' });
}

/** Stateless, one answer a request, as servers of 2026-07-28 may be. */
async function overHttp(request, response) {
  if (flags.includes('oauth') && (await authorize(request, response))) return;
  if (request.method !== 'POST') {
    response.writeHead(405).end();
    return;
  }
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const message = JSON.parse(Buffer.concat(chunks).toString());
  if (message.method === 'tools/call' && message.params.name === 'flood') {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('"');
    const more = () => response.destroyed || response.write('x'.repeat(1_048_576), () => setImmediate(more));
    more();
    return;
  }
  const answer = createBehaviour(flags, { send: () => {}, raw: () => {} });
  const reply = await answer(message);
  if (reply === undefined) {
    response.writeHead(202).end();
    return;
  }
  const status = reply.error?.code === -32601 ? 404 : reply.error?.code === -32022 ? 400 : 200;
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
}
