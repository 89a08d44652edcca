import type { KnownMcpServer } from '../contract/mcp-server.ts';
import type { ToolDefinition } from '../contract/spec.ts';
import { oneLine } from '../tools/one-line.ts';
import { definitionsOf } from './definitions.ts';
import type { McpPool } from './pool.ts';

export interface ListOptions {
  readonly servers: readonly KnownMcpServer[];
  /** Absolute path of the folder the servers work in. */
  readonly workspace: string;
  readonly pool: McpPool;
  readonly signal: AbortSignal;
}

/** What came of asking one server. */
export type ListedServer = { readonly name: string; readonly tookMs: number } & (
  | {
      readonly kind: 'ok';
      readonly definitions: readonly ToolDefinition[];
      /** Tools that are left out, and why. */
      readonly notices: readonly string[];
    }
  | { readonly kind: 'broken'; readonly why: string }
);

const WHY_CHARACTERS_MAX = 600;

/** Many pages, each just in time, must not keep everybody waiting. */
const LIST_MS_MAX = 60_000;

/** Asks all servers at once for their tools. A server that is broken says so in its place, and harms no other. */
export async function listMcpTools({
  servers,
  workspace,
  pool,
  signal,
}: ListOptions): Promise<readonly ListedServer[]> {
  return await Promise.all(
    servers.map(async (known) => {
      const either = AbortSignal.any([signal, AbortSignal.timeout(LIST_MS_MAX)]);
      const listed = await listServer(known, { workspace, pool, signal: either });
      signal.throwIfAborted();
      return listed;
    }),
  );
}

async function listServer(
  { server, digest }: KnownMcpServer,
  { workspace, pool, signal }: Pick<ListOptions, 'workspace' | 'pool' | 'signal'>,
): Promise<ListedServer> {
  const { name } = server;
  const started = performance.now();
  const took = (): number => Math.round(performance.now() - started);
  try {
    const made = await pool.use({ server: name, config: digest, workspace }, signal, async (connection) => {
      const tools = await connection.tools(signal).catch((error: unknown) => {
        throw new Error(`Cannot list the tools of "${name}": ${connection.explain(error)}`);
      });
      const { instructions, discreet } = connection;
      return discreet(definitionsOf({ server, digest, tools, instructions }));
    });
    return { name, tookMs: took(), kind: 'ok', ...made };
  } catch (error) {
    const why = oneLine(error instanceof Error ? error.message : String(error), WHY_CHARACTERS_MAX);
    return { name, tookMs: took(), kind: 'broken', why };
  }
}
