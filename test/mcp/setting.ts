import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { McpServer } from '../../src/contract/mcp-server.ts';
import type { ToolDefinition } from '../../src/contract/spec.ts';
import { listMcpTools, type ListedServer } from '../../src/mcp/list-tools.ts';
import { createMcpPool, type McpPool, type McpPoolOptions } from '../../src/mcp/pool.ts';
import { createMcpTool } from '../../src/mcp/tool.ts';
import { mcpServerDigest } from '../../src/config/mcp-servers.ts';
import type { Tool, ToolContext } from '../../src/tools/tool.ts';
import { openWorkspace } from '../../src/tools/files/workspace.ts';
import { temporaryFolder } from '../tools/situation.ts';

const packages = createRequire(import.meta.url);

/** The program of a real MCP server from npm. */
export function realServer(name: 'everything' | 'filesystem'): string {
  return join(dirname(packages.resolve(`@modelcontextprotocol/server-${name}/package.json`)), 'dist', 'index.js');
}

/** A server of one file beside these tests. */
function ownServer(name: string): string {
  return join(import.meta.dirname, 'servers', name);
}

type ProcessServer = Extract<McpServer, { type: 'stdio' }>;

export function processServer(name: string, args: readonly string[], more: Partial<ProcessServer> = {}): ProcessServer {
  return { type: 'stdio', name, command: process.execPath, args: [...args], env: {}, ...more };
}

export interface Setting {
  readonly pool: McpPool;
  readonly workspace: string;
  readonly secrets: string[];
  readonly listed: () => Promise<readonly ListedServer[]>;
  /** The definitions of all tools of all servers. */
  readonly definitions: () => Promise<readonly ToolDefinition[]>;
  /** A tool by its full name, as a worker makes it. */
  readonly tool: (name: string, changes?: Partial<ToolDefinition>) => Promise<Tool>;
  readonly context: (changes?: Partial<ToolContext>) => Promise<ToolContext>;
}

/** A pool over real servers, in an empty workspace. */
export async function setting(servers: readonly McpServer[], options: Partial<McpPoolOptions> = {}): Promise<Setting> {
  const workspace = await temporaryFolder();
  const known = servers.map((server) => ({ server, digest: mcpServerDigest(server) }));
  const secrets: string[] = [];
  const pool = createMcpPool({
    find: async ({ config }) => known.find(({ digest }) => digest === config)?.server,
    environment: process.env,
    onSecret: (secret) => void secrets.push(secret),
    startMs: 30_000,
    ...options,
  });
  onTestFinished(async () => await pool.close());
  const listed = async (): Promise<readonly ListedServer[]> =>
    await listMcpTools({ servers: known, workspace, pool, signal: new AbortController().signal });
  const definitions = async (): Promise<readonly ToolDefinition[]> =>
    (await listed()).flatMap((server) => {
      if (server.kind === 'ok') return server.definitions;
      throw new Error(server.why);
    });
  return {
    pool,
    workspace,
    secrets,
    listed,
    definitions,
    async tool(name, changes = {}) {
      const definition = (await definitions()).find((candidate) => candidate.name === name);
      const tool = definition && createMcpTool({ ...definition, ...changes }, pool);
      if (tool === undefined) throw new Error(`Cannot find "${name}": no server has it`);
      return tool;
    },
    context: async (changes = {}) => ({
      workspace: await openWorkspace(workspace),
      agent: 'tester',
      signal: new AbortController().signal,
      key: 'test/1',
      live: () => {},
      permits: () => true,
      mayRead: () => true,
      mayReach: () => true,
      worker: 'worker',
      unconfined: false,
      answers: [],
      definitions: [],
      ...changes,
    }),
  };
}

/** A port that was free a moment ago, for servers that cannot be told to take any. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('Cannot find a port');
  return address.port;
}

export interface HttpProcess {
  readonly port: number;
  readonly kill: () => Promise<void>;
}

/** Starts the real `server-everything` over HTTP and waits until it listens. */
export async function everythingOverHttp(mode: 'streamableHttp' | 'sse', wanted?: number): Promise<HttpProcess> {
  const port = wanted ?? (await freePort());
  const child = spawn(process.execPath, [realServer('everything'), mode], {
    env: { ...process.env, PORT: String(port) },
    stdio: 'ignore',
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  onTestFinished(kill);
  for (let tries = 0; tries < 200; tries += 1) {
    const isUp = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
    if (isUp) return { port, kill };
    await sleep(50);
  }
  throw new Error('Cannot start server-everything: it does not listen');
}

/** Starts our own server on a port of its choice. */
export async function rogueOverNetwork(kind: 'http' | 'ws', flags: readonly string[] = []): Promise<HttpProcess> {
  const child = spawn(process.execPath, [ownServer('rogue.mjs'), kind, ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  onTestFinished(kill);
  const port = await new Promise<number>((resolve) =>
    child.stdout.once('data', (chunk: Buffer) => resolve(Number(String(chunk)))),
  );
  return { port, kill };
}

/** Our own server over stdio, with every fault there is. */
export function rogue(flags: readonly string[] = [], more: Partial<ProcessServer> = {}): ProcessServer {
  return processServer('rogue', [ownServer('rogue.mjs'), 'stdio', ...flags], more);
}

/** What a promise rejects with. */
export async function failure(
  promise: Promise<unknown>,
): Promise<{ kind?: string; passing?: boolean; message: string }> {
  return await promise.then(
    (value) => {
      throw new Error(`It should have failed, and resolved to ${JSON.stringify(value)}`);
    },
    (error: { kind?: string; passing?: boolean; message: string }) => error,
  );
}
