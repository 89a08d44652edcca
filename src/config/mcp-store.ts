import { join } from 'node:path';
import { mcpServerSchema, type KnownMcpServer, type McpServer } from '../contract/mcp-server.ts';
import { readKeptJson, writeKeptJson } from './mcp-kept-json.ts';
import { mcpServerDigest, readMcpServers } from './mcp-servers.ts';
import { trustOf, wasTrusted } from './trust.ts';

/**
 * Keeps how a server is started or reached for as long as runs may need it, under the digest of exactly that. Variables
 * are kept as they are written, so there is no secret in it that was not in the project's own file.
 */
export async function keepMcpServer(dataFolder: string, { server, digest }: KnownMcpServer): Promise<void> {
  await writeKeptJson(keptPath(dataFolder, digest), server);
}

export interface WantedMcpServer {
  readonly dataFolder: string;
  readonly workspace: string;
  readonly digest: string;
}

/**
 * Finds the server that a spec names by digest: as it was kept, unless trust was revoked since, or in the workspace's own
 * files when those are trusted on this machine and still say the same.
 */
export async function findMcpServer({
  dataFolder,
  workspace,
  digest,
}: WantedMcpServer): Promise<McpServer | undefined> {
  const kept = mcpServerSchema.safeParse(await readKeptJson(keptPath(dataFolder, digest)));
  if (kept.success && mcpServerDigest(kept.data) === digest && (await wasTrusted({ dataFolder, folder: workspace })))
    return kept.data;
  const { servers, files } = await readMcpServers({ folder: workspace });
  const found = servers.find((candidate) => candidate.digest === digest);
  if (found === undefined) return undefined;
  const trust = await trustOf({ dataFolder, folder: workspace, seen: files });
  return trust.kind === 'trusted' ? found.server : undefined;
}

function keptPath(dataFolder: string, digest: string): string {
  const hex = /^sha256:([0-9a-f]{64})$/u.exec(digest)?.[1];
  if (hex === undefined) throw new Error(`Cannot look up an MCP server: "${digest}" is no digest of ours`);
  return join(dataFolder, 'mcp', `${hex}.json`);
}
