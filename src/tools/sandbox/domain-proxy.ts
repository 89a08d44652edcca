import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { isPublicAddress } from '../web/address.ts';

const PORTS = [80, 443];
const CONNECT_MS_MAX = 20_000;
const IDLE_MS_MAX = 120_000;
const CONNECTIONS_MAX = 256;

export interface DomainProxy {
  /** Path of the socket on which it listens; only this user can reach it. */
  readonly socket: string;
  readonly close: () => Promise<void>;
}

/** Stands in for the name service in tests. */
export type Resolve = (host: string) => Promise<readonly string[]>;

export interface ProxyOptions {
  readonly domains: readonly string[];
  readonly resolve?: Resolve;
  /** Which addresses may be connected to. */
  readonly permits?: (address: string) => boolean;
  readonly ports?: readonly number[];
}

/** Whether a host is one of the domains, or lies below one that is written `*.example.com`. */
export function isAllowedHost(host: string, domains: readonly string[]): boolean {
  const name = host.toLowerCase().replace(/\.$/, '');
  return domains.some((domain) => {
    const wanted = domain.toLowerCase();
    return wanted.startsWith('*.')
      ? name.endsWith(wanted.slice(1)) && name.length > wanted.length - 1
      : name === wanted;
  });
}

/**
 * The only way from a sandbox to the network: a proxy that connects to listed domains, at addresses of the public
 * internet. The address that is checked is the one that is used, so a name that changes its mind leads nowhere.
 */
export async function startDomainProxy(options: ProxyOptions): Promise<DomainProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'nightshift-proxy-'));
  const socket = join(folder, 'socket');
  const server = createServer((asked, answer) => void forward(asked, answer, options));
  server.maxConnections = CONNECTIONS_MAX;
  server.on(
    'connect',
    (asked: IncomingMessage, client: Duplex, head: Buffer) => void tunnel(asked, { client, head }, options),
  );
  server.listen(socket);
  await once(server, 'listening');
  await chmod(socket, 0o600);
  // The worker may end without waiting for it.
  server.unref();
  return { socket, close: async () => await close(server, folder) };
}

async function close(server: Server, folder: string): Promise<void> {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
}

interface Target {
  readonly host: string;
  readonly port: number;
}

/** What may be connected to, or why it may not. */
async function checked(
  { host, port }: Target,
  options: ProxyOptions,
): Promise<{ readonly address: string } | { readonly why: string }> {
  if (!isAllowedHost(host, options.domains)) return { why: `the domain "${host}" is not allowed here` };
  if (!(options.ports ?? PORTS).includes(port)) return { why: `port ${port} is not allowed here` };
  if (isIP(host) !== 0) return { why: 'addresses are not allowed here, only names' };
  const addresses = await (options.resolve ?? resolveHost)(host).catch(() => []);
  const address = addresses.find((each) => (options.permits ?? isPublicAddress)(each));
  if (address !== undefined) return { address };
  return {
    why: addresses.length === 0 ? `the domain "${host}" is not known` : `the domain "${host}" is at no public address`,
  };
}

async function resolveHost(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

async function tunnel(
  asked: IncomingMessage,
  { client, head }: { client: Duplex; head: Buffer },
  options: ProxyOptions,
): Promise<void> {
  client.on('error', () => {});
  const target = targetOf(asked.url ?? '');
  const found = target === undefined ? { why: 'it names no host and port' } : await checked(target, options);
  if (target === undefined || 'why' in found) {
    client.end(`HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n${'why' in found ? found.why : ''}\n`);
    return;
  }
  const upstream = connect({ host: found.address, port: target.port, timeout: CONNECT_MS_MAX });
  upstream.once('connect', () => {
    upstream.setTimeout(IDLE_MS_MAX);
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    if (head.length > 0) upstream.write(head);
    client.pipe(upstream).pipe(client);
  });
  joinEnds(client, upstream);
}

function joinEnds(client: Duplex, upstream: Socket): void {
  upstream.on('timeout', () => upstream.destroy());
  upstream.on('error', () => client.destroy());
  upstream.on('close', () => client.destroy());
  client.on('close', () => upstream.destroy());
}

/** A request of plain HTTP, which names its whole address. */
async function forward(asked: IncomingMessage, answer: ServerResponse, options: ProxyOptions): Promise<void> {
  const url = URL.canParse(asked.url ?? '') ? new URL(asked.url ?? '') : undefined;
  if (url?.protocol !== 'http:') return refuse(answer, 'it is not an address of the web');
  const port = Number(url.port || '80');
  const found = await checked({ host: url.hostname, port }, options);
  if ('why' in found) return refuse(answer, found.why);
  const { 'proxy-connection': _hop, ...headers } = asked.headers;
  const upstream = request({
    host: found.address,
    port,
    method: asked.method,
    path: `${url.pathname}${url.search}`,
    headers: { ...headers, host: url.host },
    timeout: IDLE_MS_MAX,
  });
  upstream.on('response', (response) => {
    answer.writeHead(response.statusCode ?? 502, response.headers);
    response.pipe(answer);
  });
  upstream.on('timeout', () => upstream.destroy());
  upstream.on('error', () => answer.destroy());
  answer.on('close', () => upstream.destroy());
  asked.pipe(upstream);
}

function refuse(answer: ServerResponse, why: string): void {
  answer.writeHead(403, { connection: 'close' }).end(`${why}\n`);
}

function targetOf(text: string): Target | undefined {
  const match = /^(\[[^\]]+\]|[^:]+):(\d{1,5})$/.exec(text);
  return match?.[1] === undefined ? undefined : { host: match[1], port: Number(match[2]) };
}
