import { setTimeout as sleep } from 'node:timers/promises';
import {
  Client,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolRequest,
  type CallToolRequestOptions,
  type CallToolResult,
  type Tool,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { mcpTimes, type McpServer } from '../contract/mcp-server.ts';
import { oneLine } from '../tools/one-line.ts';
import { expandServer, withoutSecrets, wordsWithoutSecrets } from './expand.ts';
import { createOpenCalls, type OpenCalls } from './open-calls.ts';
import { orAborted } from './or-aborted.ts';
import { createTransport, type OpenTransport, type TransportOptions } from './transport.ts';

export interface ConnectionOptions extends TransportOptions {
  /** Milliseconds until a server must have answered. */
  readonly startMs: number;
  /** Ends the attempt to connect. */
  readonly signal: AbortSignal;
}

/** A server that answers. It may break at any time; then every call fails and `isOpen` says so. */
export interface McpConnection {
  /** Servers of the `legacy` era ask while a call is open, those of the `modern` one end the call with the question. */
  readonly era: 'legacy' | 'modern';
  /** What the server wants models to know; its words. */
  readonly instructions: string | undefined;
  readonly calls: OpenCalls;
  /** How long a call may be silent. */
  readonly silenceMs: number;
  /** False when it broke, and when new calls want another. */
  readonly isOpen: () => boolean;
  /** The tools as the server lists them now, asked once and then again after the server said that they changed. */
  readonly tools: (signal?: AbortSignal) => Promise<readonly Tool[]>;
  readonly call: (params: CallToolRequest['params'], options: CallToolRequestOptions) => Promise<CallToolResult>;
  /** Says what went wrong, in one line and without secrets. */
  readonly explain: (error: unknown) => string;
  /** What the server said, without the secrets in its words. */
  readonly discreet: <T>(said: T) => T;
  readonly close: () => Promise<void>;
}

const NO_ANSWER_YET = 'There is no answer yet: this call ends, and is made again when a person has answered';

/** How long a server may take to end after it was told to. */
const CLOSE_MS = 2_000;

/** Older troubles have nothing to do with a failure. */
const RECENT_MS = 5_000;

const PAGES_MAX = 64;
const REASON_CHARACTERS_MAX = 500;
const MODERN = '2026-07-28';

/** Codes with which a server refuses the handshake that it does not know. */
const HANDSHAKE_REFUSED = [-32_601, -32_602, -32_600, -32_022];

/**
 * Connects to a server. Over HTTP both eras of the protocol are tried at once. A process is asked in the old way first,
 * because finding out costs starting it twice, and in the new way only when it refuses.
 */
export async function openConnection(server: McpServer, options: ConnectionOptions): Promise<McpConnection> {
  const { server: expanded, secrets: found } = expandServer(server, options);
  const secrets: string[] = [];
  const onSecret = (secret: string): void => {
    secrets.push(secret);
    options.onSecret(secret);
  };
  for (const secret of found) onSecret(secret);
  const attempt: Attempt = { server: expanded, options: { ...options, onSecret }, secrets };
  if (expanded.type === 'http') return await connect(attempt, 'auto');
  try {
    return await connect(attempt, 'legacy');
  } catch (error) {
    if (expanded.type === 'sse' || !(error instanceof Refused)) throw error;
    return await connect(attempt, { pin: MODERN });
  }
}

interface Attempt {
  readonly server: McpServer;
  readonly options: ConnectionOptions;
  /** Grows while the connection is open. */
  readonly secrets: readonly string[];
}

/** The server answered the handshake with an error. */
class Refused extends Error {}

async function connect(attempt: Attempt, mode: VersionNegotiationMode): Promise<McpConnection> {
  const { server, options, secrets } = attempt;
  const opened = await createTransport(server, options);
  const calls = createOpenCalls();
  const tools = createListing(options.startMs);
  const state: State = { isConnected: false, isOpen: true, problem: undefined };
  const client = createClient(mode, tools.drop);
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    const answer = await calls.ask(params);
    // To say "cancel" would be untrue: nobody saw the question yet, and a server may act on a person's "cancel".
    if (answer === undefined) throw new ProtocolError(ProtocolErrorCode.InternalError, NO_ANSWER_YET);
    return answer;
  });
  Object.assign(client, {
    onerror: ({ message }: Error) => void (state.problem = { message, at: performance.now() }),
    onclose: () => void (state.isOpen = false),
  });
  const explain = explainer({ opened, secrets, state });
  const timeout = AbortSignal.timeout(options.startMs);
  const signal = AbortSignal.any([timeout, options.signal]);
  try {
    await orAborted(client.connect(opened.transport, { timeout: options.startMs, signal }), signal);
  } catch (error) {
    await opened.close();
    const why = timeout.aborted ? `it does not answer within ${options.startMs} ms` : explain(error);
    const message = `Cannot connect to "${server.name}": ${why}`;
    throw refused(error) ? new Refused(message) : new Error(message);
  }
  state.isConnected = true;
  return {
    era: client.getProtocolEra() === 'modern' ? 'modern' : 'legacy',
    instructions: client.getInstructions(),
    calls,
    silenceMs: mcpTimes(server).silenceMs,
    isOpen: () => state.isOpen && !calls.isMuddled(),
    tools: async (signal) => await tools.get(client, signal),
    call: async (params, callOptions) => await client.callTool(params, callOptions),
    explain,
    discreet: (said) => wordsWithoutSecrets(said, secrets),
    async close() {
      // One that does not end by itself is ended.
      const ended = opened.leave().then(async () => await client.close());
      await Promise.race([ended.catch(() => {}), sleep(CLOSE_MS, undefined, { ref: false })]);
      await client.close().catch(() => {});
      await opened.close();
    },
  };
}

function createClient(mode: VersionNegotiationMode, onChanged: () => void): Client {
  return new Client(
    { name: 'nightshift', version: '1' },
    {
      capabilities: { elicitation: { form: { applyDefaults: true }, url: {} } },
      versionNegotiation: { mode },
      inputRequired: { autoFulfill: false },
      listMaxPages: PAGES_MAX,
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged } },
      // Checking a server's output against its own schema protects nobody, and a hostile pattern would stop the worker.
      jsonSchemaValidator: {
        getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
      },
    },
  );
}

interface Listing {
  readonly get: (client: Client, signal?: AbortSignal) => Promise<readonly Tool[]>;
  readonly drop: () => void;
}

function createListing(pageMs: number): Listing {
  let kept: Promise<readonly Tool[]> | undefined;
  return {
    async get(client, signal) {
      const asked = (kept ??= list(client, pageMs));
      // A failure is not kept, and a listing that was dropped meanwhile stays dropped.
      asked.catch(() => (kept = kept === asked ? undefined : kept));
      return await (signal === undefined ? asked : orAborted(asked, signal));
    },
    drop: () => (kept = undefined),
  };
}

async function list(client: Client, pageMs: number): Promise<readonly Tool[]> {
  // The client library prints a line when it is asked for tools of a server that says it has none.
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const { tools } = await client.listTools(undefined, { cacheMode: 'refresh', timeout: pageMs });
  return tools;
}

interface State {
  isConnected: boolean;
  isOpen: boolean;
  /** The latest thing that went wrong beside any call. */
  problem: { readonly message: string; readonly at: number } | undefined;
}

interface Explaining {
  readonly opened: OpenTransport;
  readonly secrets: readonly string[];
  readonly state: State;
}

function explainer({ opened, secrets, state }: Explaining): (error: unknown) => string {
  return (error) => {
    const { problem } = state;
    const isRecent = problem !== undefined && performance.now() - problem.at < RECENT_MS;
    // A server that works writes all sorts of things there; of one that is gone it is the best there is.
    const stderr = state.isConnected && state.isOpen ? '' : opened.stderr().trim();
    const parts = [reasonOf(error), isRecent ? problem.message : '', stderr === '' ? '' : `its stderr says: ${stderr}`];
    const text = [...new Set(parts.filter((part) => part !== ''))].join('; ');
    return oneLine(withoutSecrets(text, secrets), REASON_CHARACTERS_MAX);
  };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return `${error.message}${cause}`;
}

function refused(error: unknown): boolean {
  return error instanceof ProtocolError && HANDSHAKE_REFUSED.includes(error.code);
}
