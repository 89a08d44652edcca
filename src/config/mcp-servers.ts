import { SERVER_NAME, type KnownMcpServer, type McpServer } from '../contract/mcp-server.ts';
import { digestOf } from './canonical-json.ts';
import { readMcpEntry } from './mcp-entry.ts';
import { MCP_FILES, readFileText } from './mcp-files.ts';
import { programsIn } from './mcp-programs.ts';
import { parseCommentedJson } from './mcp-json.ts';
import { didYouMean } from './suggest.ts';
import { shown } from './zod-problems.ts';

/** An MCP server as a folder defines it. Values keep `${VAR}` as it is written. */
export interface McpServerConfig extends KnownMcpServer {
  readonly name: string;
  /** The file that defines it, relative to the folder. */
  readonly source: string;
}

export interface McpServers {
  /** In the order of the files. */
  readonly servers: readonly McpServerConfig[];
  /** What is wrong, a line each, beginning with the file. The servers that are right can be used all the same. */
  readonly problems: readonly string[];
  readonly notices: readonly string[];
  /**
   * Digest of each file that was read, by its name, and of each program of the folder that a server is started with:
   * trust is judged about exactly these contents.
   */
  readonly files: Readonly<Record<string, string>>;
}

/** Servers of one folder; more are a mistake or an attack. */
const SERVERS_MAX = 100;

const TOP_KEYS = { '.mcp.json': 'mcpServers', '.vscode/mcp.json': 'servers' } as const;
const PLACEHOLDER_KEYS = ['inputs', '$schema', 'sandbox'];

/** Reads the MCP servers of a folder. It starts nothing, so it may be asked about a folder that nobody trusts. */
export async function readMcpServers({ folder }: { readonly folder: string }): Promise<McpServers> {
  const reader = new Reader();
  for (const file of MCP_FILES) {
    const read = await readFileText(folder, file);
    if (read.kind === 'unreadable') reader.problems.push(`${file}: ${read.why}`);
    if (read.kind === 'text') reader.read(file, read);
  }
  const { problems, notices, files } = reader;
  const servers = [...reader.servers.values()];
  const programs = await programsIn(
    folder,
    servers.map(({ server }) => server),
  );
  return { servers, problems, notices, files: { ...programs, ...files } };
}

/** Digest of how a server is started or reached; its name is no part of that. */
export function mcpServerDigest({ name: _name, ...rest }: McpServer): string {
  return digestOf(rest);
}

class Reader {
  readonly servers = new Map<string, McpServerConfig>();
  readonly problems: string[] = [];
  readonly notices: string[] = [];
  readonly files: Record<string, string> = {};

  read(file: (typeof MCP_FILES)[number], { text, digest }: { readonly text: string; readonly digest: string }): void {
    this.files[file] = digest;
    const entries = this.#entries(file, text);
    for (const [name, entry] of entries.slice(0, SERVERS_MAX)) this.#server(file, name, entry);
    if (entries.length > SERVERS_MAX) {
      this.problems.push(`${file}: it has ${entries.length} servers; only the first ${SERVERS_MAX} are used`);
    }
  }

  #entries(file: (typeof MCP_FILES)[number], text: string): readonly (readonly [string, unknown])[] {
    const top = TOP_KEYS[file];
    const data = this.#json(file, text);
    if (data === undefined) return [];
    for (const key of Object.keys(data)) {
      if (key !== top && !PLACEHOLDER_KEYS.includes(key)) {
        this.problems.push(`${file}: ${key}: there is no such key${didYouMean(key, [top])}`);
      }
    }
    const servers = data[top] ?? {};
    if (isObject(servers)) return Object.entries(servers);
    this.problems.push(`${file}: ${top}: expected an object of servers, got ${shown(data[top])}`);
    return [];
  }

  #json(file: string, text: string): Readonly<Record<string, unknown>> | undefined {
    try {
      const data = parseCommentedJson(text);
      if (isObject(data)) return data;
      this.problems.push(`${file}: expected an object`);
    } catch {
      // What the parser says quotes the file, which may hold a secret.
      this.problems.push(`${file}: it is not JSON`);
    }
    return undefined;
  }

  #server(file: string, name: string, input: unknown): void {
    if (!SERVER_NAME.test(name)) {
      this.problems.push(`${file}: ${shown(name)}: ${NAME_RULE}${nameHint(name)}`);
      return;
    }
    const first = this.servers.get(name);
    if (first !== undefined) {
      this.notices.push(`${file}: ${name}: left out, because ${first.source} has a server of this name`);
      return;
    }
    const entry = readMcpEntry(name, input);
    if (entry.kind === 'broken') {
      this.problems.push(...entry.problems.map((problem) => `${file}: ${problem}`));
      return;
    }
    this.notices.push(...entry.notices.map((notice) => `${file}: ${notice}`));
    if (entry.kind === 'off') return;
    this.servers.set(name, { name, source: file, server: entry.server, digest: mcpServerDigest(entry.server) });
  }
}

const NAME_RULE =
  'expected a name of 1 to 50 letters, digits, "-" or "_", without "__" and without "_" at its start or end';

function nameHint(name: string): string {
  const better = name
    .replaceAll(/[^a-zA-Z0-9-]+/gu, '_')
    .replaceAll(/^_+|_+$/gu, '')
    .slice(0, 50)
    .replace(/_+$/u, '');
  return SERVER_NAME.test(better) ? `, such as "${better}"` : '';
}

/** A schema would quietly drop `__proto__`. */
function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
