import { resolve } from 'node:path';
import { readMcpServers, type McpServerConfig, type McpServers } from '../../../config/mcp-servers.ts';
import { trustOf, type Trust } from '../../../config/trust.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit-codes.ts';
import { findWorkspace } from '../../running/prepare.ts';
import { reachText } from '../../text/mcp-text.ts';
import { tableText } from '../../text/table.ts';
import { safeJson, shortLine, visible } from '../../text/visible.ts';

export interface ServerFlags {
  readonly workspace?: string;
  readonly json?: true;
}

export interface FolderServers {
  /** Real path. */
  readonly folder: string;
  readonly mcp: McpServers;
  /** Judged about exactly what was read. */
  readonly trust: Trust;
}

export async function serversOfFolder(
  { folder: here, settings }: Context,
  { workspace }: Pick<ServerFlags, 'workspace'>,
): Promise<FolderServers> {
  const folder = await findWorkspace(resolve(here, workspace ?? '.'));
  const mcp = await readMcpServers({ folder });
  const trust = await trustOf({ dataFolder: settings.folders.dataFolder, folder, seen: mcp.files });
  return { folder, mcp, trust };
}

export async function listServers(context: Context, flags: ServerFlags): Promise<number> {
  const found = await serversOfFolder(context, flags);
  const { mcp, trust } = found;
  const { terminal } = context;
  if (flags.json === true) terminal.print(safeJson(asJson(found), 2));
  else if (mcp.servers.length === 0)
    terminal.say('No MCP servers here: neither .mcp.json nor .vscode/mcp.json names one.');
  else {
    const rows = mcp.servers.map((server) => rowOf(server, trust));
    terminal.print(tableText(['SERVER', 'TYPE', 'FILE', 'TRUSTED', 'STARTED OR REACHED BY'], rows));
  }
  sayNotices(context, found);
  return EXIT.done;
}

/** What is wrong with the files, and what must be done before their servers are started. */
export function sayNotices({ terminal }: Context, { mcp, trust }: FolderServers): void {
  for (const problem of mcp.problems) terminal.say(`Broken: ${visible(problem)}`);
  for (const notice of mcp.notices) terminal.say(`Note: ${visible(notice)}`);
  if (mcp.servers.length > 0 && trust.kind !== 'trusted') terminal.say(untrustedText(trust));
}

export function untrustedText({ kind, files, folder }: Trust): string {
  const why =
    kind === 'changed' ? `${files.map(visible).join(', ')} changed since it was trusted` : 'nobody said that it is';
  return `The folder "${visible(folder)}" is not trusted: ${why}. Look at what it starts and trust it with "nightshift mcp trust".`;
}

function rowOf({ name, source, server }: McpServerConfig, { kind }: Trust): readonly string[] {
  const word = { trusted: 'yes', untrusted: 'no', changed: 'no: changed' }[kind];
  return [name, server.type, source, word, shortLine(reachText(server), 120)];
}

/** Values of variables and headers may be secrets, so only their names are told. */
function asJson({ folder, mcp, trust }: FolderServers): unknown {
  return {
    folder,
    trust: trust.kind,
    changed: trust.kind === 'changed' ? trust.files : [],
    servers: mcp.servers.map(({ name, source, digest, server }) => ({
      name,
      type: server.type,
      source,
      digest,
      ...(server.type === 'stdio'
        ? { command: server.command, args: server.args, cwd: server.cwd ?? '.', env: Object.keys(server.env) }
        : { url: server.url, headers: Object.keys(server.headers), auth: server.auth?.type ?? null }),
    })),
    problems: mcp.problems,
    notices: mcp.notices,
  };
}
