import * as z from 'zod';

/** Tool names are `mcp__<server>__<tool>`; without "__" inside and "_" at the edges, no two servers can share one. */
export const SERVER_NAME = /^(?!.*__)[a-zA-Z0-9-](?:[a-zA-Z0-9_-]{0,48}[a-zA-Z0-9-])?$/u;

/** Names under which people write a secret down as it is. */
export const SECRET_NAME = /auth|cookie|credential|key|passw|secret|session|token/iu;

/** May hold `${VAR}`, which the worker that connects fills in from its own environment. */
const text = z.string().max(32_768);
const texts = z.record(z.string().min(1).max(256), text);
const timeoutMs = z.int().min(100).max(3_600_000);
const name = z.string().regex(SERVER_NAME);

/** How a program identifies itself to the authorization server of an MCP server; nobody is there to log in. */
export const mcpAuthSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('client_credentials'),
    clientId: text.min(1),
    clientSecret: text.min(1),
    scope: text.optional(),
    /** The only authorization server that may see the credentials; without it, the one the MCP server names. */
    issuer: text.optional(),
  }),
  z.strictObject({
    type: z.literal('private_key_jwt'),
    clientId: text.min(1),
    /** PEM (PKCS #8). */
    privateKey: text.min(1),
    /** Such as `ES256`. */
    algorithm: z.string().min(1).max(32),
    scope: text.optional(),
    issuer: text.optional(),
  }),
]);

const mcpProcessSchema = z.strictObject({
  type: z.literal('stdio'),
  name,
  command: text.min(1),
  args: z.array(text).max(1_000),
  env: texts,
  /** Relative to the workspace, which it is when left out. */
  cwd: text.optional(),
  timeoutMs: timeoutMs.optional(),
});

const mcpRemoteSchema = z.strictObject({
  /** Streamable HTTP, the HTTP+SSE of old servers, or WebSocket. */
  type: z.enum(['http', 'sse', 'ws']),
  name,
  url: text.min(1),
  headers: texts,
  auth: mcpAuthSchema.optional(),
  timeoutMs: timeoutMs.optional(),
});

/** How an MCP server is started or reached, as it is kept: never with a secret filled in. */
export const mcpServerSchema = z.discriminatedUnion('type', [mcpProcessSchema, mcpRemoteSchema]);

export type McpAuth = z.infer<typeof mcpAuthSchema>;
export type McpServer = z.infer<typeof mcpServerSchema>;

/** A server and the digest that specs know it by. */
export interface KnownMcpServer {
  readonly server: McpServer;
  readonly digest: string;
}

/** Milliseconds of silence after which a call is given up, where the configuration says nothing. */
const SILENCE_MS = 60_000;

/** A server that reports progress may take so many times longer in all. */
const PROGRESS_FACTOR = 10;
const CALL_MS_MAX = 3_600_000;

/** How long a call may be silent, and how long it may take in all. */
export function mcpTimes({ timeoutMs: silenceMs = SILENCE_MS }: Pick<McpServer, 'timeoutMs'>): {
  readonly silenceMs: number;
  readonly totalMs: number;
} {
  return { silenceMs, totalMs: Math.min(silenceMs * PROGRESS_FACTOR, CALL_MS_MAX) };
}
