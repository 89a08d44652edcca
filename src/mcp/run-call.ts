import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import type { ToolDefinition } from '../contract/spec.ts';
import { ToolError, type ToolContext, type ToolOutput } from '../tools/tool.ts';
import { callServer } from './call.ts';
import type { McpConnection } from './connection.ts';
import { failureOf, type Failure } from './failure.ts';
import { pinnedTool } from './pinned.ts';
import type { McpPool, McpTarget } from './pool.ts';

/** A call that never reached the server is made once more, over a new connection. */
const ATTEMPTS_MAX = 2;

export interface Known {
  readonly definition: ToolDefinition;
  readonly origin: Extract<ToolDefinition['origin'], { kind: 'mcp' }>;
  readonly pool: McpPool;
}

/** Calls a tool of a server, once it is sure that it still is the tool of its definition. */
export async function runCall(known: Known, input: Record<string, unknown>, context: ToolContext): Promise<ToolOutput> {
  const { origin, pool } = known;
  const target: McpTarget = { server: origin.server, config: origin.config, workspace: context.workspace.root };
  for (let attempt = 1; ; attempt += 1) {
    const tried = await pool.use(target, context.signal, async (connection) => {
      try {
        return { kind: 'done' as const, output: await callOver(connection, known, { input, context }) };
      } catch (error) {
        const failed = failedOver(connection, known, { error, signal: context.signal });
        if (failed.retire) await pool.retire(target, connection);
        return failed;
      }
    });
    if (tried.kind === 'done') return tried.output;
    if (tried.failure !== 'not_sent' || attempt >= ATTEMPTS_MAX) throw tried.error;
  }
}

interface Given {
  readonly input: Record<string, unknown>;
  readonly context: ToolContext;
}

async function callOver(
  connection: McpConnection,
  { definition, origin }: Known,
  { input, context }: Given,
): Promise<ToolOutput> {
  const tools = await connection.tools(context.signal).catch((error: unknown) => {
    // Nothing was called yet, whatever the reason is.
    context.signal.throwIfAborted();
    throw new ToolError(
      'execution_failed',
      `Cannot call "${origin.tool}": the server "${origin.server}" does not list its tools: ${connection.explain(error)}`,
      { passing: true },
    );
  });
  const tool = pinnedTool({ ...origin, definition }, tools);
  const { silenceMs } = connection;
  return await callServer({ connection, tool, input, context, silenceMs, totalMs: definition.timeoutMs });
}

interface Failed {
  readonly kind: 'failed';
  readonly failure: Failure | undefined;
  readonly error: unknown;
  readonly retire: boolean;
}

interface Cause {
  readonly error: unknown;
  readonly signal: AbortSignal;
}

function failedOver(connection: McpConnection, known: Known, { error, signal }: Cause): Failed {
  const failed = { kind: 'failed', failure: undefined } as const;
  // These come before anything is sent.
  if (error instanceof ToolError) return { ...failed, error, retire: error.passing || error.kind === 'timeout' };
  if (signal.aborted) {
    const { reason } = signal as { reason: unknown };
    const isTimeout = reason instanceof ToolError && reason.kind === 'timeout';
    return { ...failed, error: isTimeout ? silent(known, reason.message) : reason, retire: isTimeout };
  }
  const failure = failureOf(error);
  const told = toldOf(known, { failure, error, why: connection.explain(error) });
  return { kind: 'failed', failure, error: told, retire: failure !== 'answered' };
}

function toldOf(
  known: Known,
  { failure, error, why }: { readonly failure: Failure; readonly error: unknown; readonly why: string },
): ToolError {
  const { origin, definition } = known;
  const message = `Cannot call "${origin.tool}" of "${origin.server}": ${why}`;
  switch (failure) {
    case 'answered': {
      const isInput = error instanceof ProtocolError && error.code === (ProtocolErrorCode.InvalidParams as number);
      return new ToolError(isInput ? 'invalid_params' : 'execution_failed', message);
    }
    case 'not_sent':
      return new ToolError('execution_failed', message, { passing: true });
    case 'silent':
      return silent(known, `${message}: it does not answer`);
    case 'lost':
      if (mayRepeat(definition)) return new ToolError('execution_failed', message, { passing: true });
      return new ToolError('outcome_unknown', `${message}. Whether the call happened is not known`);
  }
}

/** A call that nobody may repeat and that got no answer may have happened. */
function silent({ definition }: Known, message: string): ToolError {
  if (mayRepeat(definition)) return new ToolError('timeout', message, { passing: true });
  return new ToolError('outcome_unknown', `${message}. Whether the call happened is not known`);
}

function mayRepeat({ effect }: ToolDefinition): boolean {
  return effect === 'read' || effect === 'idempotent';
}
