import * as z from 'zod';
import { mcpAuthSchema, mcpServerSchema, type McpServer } from '../contract/mcp-server.ts';
import { didYouMean } from './suggest.ts';
import { shown, zodProblems } from './zod-problems.ts';

export type McpEntry =
  | { readonly kind: 'server'; readonly server: McpServer; readonly notices: readonly string[] }
  | { readonly kind: 'off'; readonly notices: readonly string[] }
  | { readonly kind: 'broken'; readonly problems: readonly string[] };

const PROCESS_KEYS = ['type', 'command', 'args', 'env', 'cwd', 'timeout'];
const REMOTE_KEYS = ['type', 'url', 'headers', 'auth', 'timeout'];

/** Keys that other programs write and that change nothing here; a server never decides what may run unasked. */
const NOT_USED = ['gallery', 'version', 'dev', 'alwaysAllow', 'autoApprove', 'trust', 'description', 'sandbox'];

const TYPES: Readonly<Record<string, McpServer['type']>> = {
  stdio: 'stdio',
  http: 'http',
  'streamable-http': 'http',
  streamableHttp: 'http',
  sse: 'sse',
  ws: 'ws',
  websocket: 'ws',
};

const objectSchema = z.record(z.string(), z.unknown());

/** Reads what a file says about one server. Variables stay as they are written. */
export function readMcpEntry(name: string, input: unknown): McpEntry {
  const parsed = objectSchema.safeParse(input);
  if (!parsed.success) return broken([`${name}: expected an object, got ${shown(input)}`]);
  const { disabled, ...entry } = parsed.data;
  if (disabled === true) return { kind: 'off', notices: [`${name}: it is switched off by "disabled"`] };
  const type = typeOf(entry);
  if (type === null) {
    return broken([
      `${name}.type: expected "stdio", "http", "sse" or "ws" with "command" or "url", got ${shown(entry['type'])}`,
    ]);
  }
  const { used, notices } = withoutUnused(name, entry);
  const problems = [...unknownKeys(name, used, type), ...inputProblems(name, used)];
  if (problems.length > 0) return broken(problems);
  const result = mcpServerSchema.safeParse(normalised({ name, type, entry: used }));
  if (result.success) return { kind: 'server', server: result.data, notices: [...notices, ...told(result.data)] };
  return broken(zodProblems(result.error, { at: name, input: used, keysOf }).map(asWritten));
}

function broken(problems: readonly string[]): McpEntry {
  return { kind: 'broken', problems };
}

/** Without a type, the command or the scheme of the address tells. */
function typeOf(entry: Readonly<Record<string, unknown>>): McpServer['type'] | null {
  const { type, command, url } = entry;
  if (typeof type === 'string') return (Object.hasOwn(TYPES, type) ? TYPES[type] : undefined) ?? null;
  if (type !== undefined) return null;
  if (command !== undefined) return 'stdio';
  if (typeof url !== 'string') return null;
  return /^wss?:/iu.test(url) ? 'ws' : 'http';
}

function withoutUnused(
  name: string,
  entry: Readonly<Record<string, unknown>>,
): { readonly used: Readonly<Record<string, unknown>>; readonly notices: readonly string[] } {
  const entries = Object.entries(entry);
  return {
    used: Object.fromEntries(entries.filter(([key]) => !NOT_USED.includes(key))),
    notices: entries.filter(([key]) => NOT_USED.includes(key)).map(([key]) => `${name}.${key}: not used here`),
  };
}

function unknownKeys(name: string, entry: Readonly<Record<string, unknown>>, type: McpServer['type']): string[] {
  const known = type === 'stdio' ? PROCESS_KEYS : REMOTE_KEYS;
  return Object.keys(entry)
    .filter((key) => !known.includes(key))
    .map((key) => `${name}.${key}: there is no such key for "${type}"${didYouMean(key, known)}`);
}

/** VS Code asks a person for these at the start; here nobody is there to be asked. */
function inputProblems(name: string, entry: Readonly<Record<string, unknown>>): string[] {
  const used = [...new Set(JSON.stringify(entry).match(/\$\{input:[^}"]*\}/gu))];
  return used.map((input) => `${name}: ${input} asks a person, and none is there; use an environment variable`);
}

interface Entry {
  readonly name: string;
  readonly type: McpServer['type'];
  readonly entry: Readonly<Record<string, unknown>>;
}

function normalised({ name, type, entry }: Entry): Record<string, unknown> {
  const { timeout, type: _written, ...rest } = entry;
  const given = { ...rest, type, name, ...(timeout !== undefined && { timeoutMs: timeout }) };
  return type === 'stdio' ? { args: [], env: {}, ...given } : { headers: {}, ...given };
}

function keysOf(path: string): readonly string[] {
  return path === 'auth' ? [...new Set(mcpAuthSchema.options.flatMap(({ shape }) => Object.keys(shape)))] : [];
}

/** Problems speak of keys as the file has them. */
function asWritten(problem: string): string {
  return problem.replace('.timeoutMs:', '.timeout:');
}

function told(server: McpServer): string[] {
  if (server.type === 'stdio' || server.auth === undefined) return [];
  if (server.type === 'ws') return [`${server.name}.auth: not used with "ws"; put a header there instead`];
  if (server.auth.issuer !== undefined) return [];
  return [`${server.name}.auth: without "issuer" the credentials go to whichever server "${server.name}" names`];
}
