import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SSEClientTransport, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { DEFAULT_INHERITED_ENV_VARS, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { McpServer } from '../contract/mcp-server.ts';
import { createHeadTail } from '../tools/clip.ts';
import { killMarked } from '../tools/shell/process-tree.ts';
import { createAuthProvider } from './auth.ts';
import type { Surroundings } from './expand.ts';
import { serverFetch } from './server-fetch.ts';
import { WebSocketTransport } from './websocket.ts';

/** One message of a server, or one answer over HTTP. */
const MESSAGE_BYTES_MAX = 10 * 1_024 * 1_024;

const STDERR_CHARACTERS_MAX = 2_000;

/** Marks the processes of one connection, so that whatever a server started ends with it. */
const CONNECTION_MARKER = 'NIGHTSHIFT_MCP';

export interface TransportOptions extends Surroundings {
  /** Variables that every process gets, such as the marker of the worker. */
  readonly markers: Readonly<Record<string, string>>;
  readonly onSecret: (secret: string) => void;
}

export interface OpenTransport {
  readonly transport: Transport;
  /** What a process wrote to stderr, head and tail. */
  readonly stderr: () => string;
  /** Tells a server that keeps a session that it may forget it. */
  readonly leave: () => Promise<void>;
  /** Closes, and ends every process that belongs to it. */
  readonly close: () => Promise<void>;
}

/** Makes the transport of a server whose variables are filled in; it is not started yet. */
export async function createTransport(server: McpServer, options: TransportOptions): Promise<OpenTransport> {
  if (server.type === 'stdio') return await processTransport(server, options);
  const transport = remoteTransport(server, options);
  return {
    transport,
    stderr: () => '',
    leave: async () => {
      if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession();
    },
    close: async () => await transport.close(),
  };
}

function remoteTransport(server: Exclude<McpServer, { type: 'stdio' }>, options: TransportOptions): Transport {
  const { name, type, headers, auth } = server;
  const url = parsedUrl(name, type, server.url);
  if (type === 'ws') return new WebSocketTransport({ url: url.href, headers, messageBytesMax: MESSAGE_BYTES_MAX });
  const common = {
    fetch: serverFetch({ server: url, headers, bytesMax: MESSAGE_BYTES_MAX }),
    ...(auth !== undefined && { authProvider: createAuthProvider(auth, options.onSecret) }),
  };
  return type === 'sse' ? new SSEClientTransport(url, common) : new StreamableHTTPClientTransport(url, common);
}

/** Nothing of the address is shown when it is wrong: it may hold a secret. */
function parsedUrl(name: string, type: McpServer['type'], text: string): URL {
  const protocols = type === 'ws' ? ['ws:', 'wss:'] : ['http:', 'https:'];
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && protocols.includes(url.protocol)) return url;
  throw new Error(`Cannot connect to "${name}": its address does not begin with "${protocols.join('//" or "')}//"`);
}

async function processTransport(
  server: Extract<McpServer, { type: 'stdio' }>,
  { environment, workspace, markers }: TransportOptions,
): Promise<OpenTransport> {
  const cwd = resolve(workspace, server.cwd ?? '.');
  const folder = await stat(cwd).catch(() => undefined);
  if (folder?.isDirectory() !== true) throw new Error(`Cannot start "${server.name}": its folder does not exist`);
  const marker = { name: CONNECTION_MARKER, value: randomUUID() };
  const inherited = DEFAULT_INHERITED_ENV_VARS.flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const transport = new StdioClientTransport({
    command: server.command,
    args: server.args,
    env: { ...Object.fromEntries(inherited), ...server.env, ...markers, [marker.name]: marker.value },
    cwd,
    stderr: 'pipe',
    maxBufferSize: MESSAGE_BYTES_MAX,
  });
  const stderr = createHeadTail(STDERR_CHARACTERS_MAX);
  transport.stderr?.on('data', (chunk: Buffer) => stderr.add(chunk.toString('utf8')));
  return {
    transport,
    stderr: () => stderr.text(),
    leave: async () => {},
    async close() {
      await transport.close();
      // A server behind a launcher such as npx or a shell may outlive the process that was started.
      await killMarked(marker);
    },
  };
}
