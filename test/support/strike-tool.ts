import type { Effect } from '../../src/contract/tool-calls.ts';
import type { ToolDefinition } from '../../src/contract/spec.ts';

/** What one strike is told. */
export interface Strike {
  readonly mark: string;
  readonly workMs: number;
}

/** As a run is given it; the worker processes have the tool itself, as `strikeModule` makes it. */
export function strikeDefinition(effect: Effect = 'unsafe'): ToolDefinition {
  return {
    name: 'strike',
    description: 'Does something in the world that must not be done twice.',
    inputSchema: {
      type: 'object',
      properties: { mark: { type: 'string' }, workMs: { type: 'integer' } },
      required: ['mark', 'workMs'],
    },
    effect,
    timeoutMs: 60_000,
    local: false,
  };
}

/** The module of extra tools for worker processes: a strike tells the recorder when it begins and when it ends. */
export function strikeModule(port: number): string {
  return `
import { connect } from 'node:net';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import * as z from 'zod';
import { defineTool } from './tools/tool.js';

async function report(kind, key) {
  const socket = connect(${port}, '127.0.0.1');
  socket.write(kind + ' ' + key + ' ' + process.pid + '\\n');
  await once(socket, 'data');
  socket.destroy();
}

export const tools = [
  defineTool({
    name: 'strike',
    description: 'Does something in the world that must not be done twice.',
    input: z.object({ mark: z.string(), workMs: z.int() }),
    effect: 'unsafe',
    timeoutMs: 60_000,
    local: false,
    summarize: ({ mark }) => 'strike ' + mark,
    async run({ mark, workMs }, { key }) {
      await report('start', key);
      await setTimeout(workMs);
      await report('end', key);
      return { text: 'struck ' + mark };
    },
  }),
];
`;
}
