import type { Environment } from '../config/environment.ts';
import type { KnownMcpServer } from '../contract/mcp-server.ts';
import { listMcpTools, type ListedServer } from '../mcp/list-tools.ts';
import { createMcpPool } from '../mcp/pool.ts';

export { type ListedServer } from '../mcp/list-tools.ts';

export interface ServersQuestion {
  /** Of a folder that is trusted. */
  readonly servers: readonly KnownMcpServer[];
  /** Real path of the folder they work in. */
  readonly workspace: string;
  readonly env: Environment;
  readonly signal: AbortSignal;
}

/** Starts or reaches servers only to ask for their tools. One that is broken says so in its place. */
export async function askServers({
  servers,
  workspace,
  env,
  signal,
}: ServersQuestion): Promise<readonly ListedServer[]> {
  if (servers.length === 0) return [];
  const byDigest = new Map(servers.map(({ digest, server }) => [digest, server]));
  const pool = createMcpPool({
    find: async ({ config }) => await Promise.resolve(byDigest.get(config)),
    environment: env,
  });
  try {
    return await listMcpTools({ servers, workspace, pool, signal });
  } finally {
    await pool.close();
  }
}
