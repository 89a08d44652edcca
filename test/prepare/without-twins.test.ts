import { expect, test } from 'vitest';
import type { ToolDefinition } from '../../src/contract/spec.ts';
import { withoutTwins } from '../../src/prepare/without-twins.ts';

const tool = (name: string, origin?: ToolDefinition['origin']): ToolDefinition => ({
  name,
  description: '',
  inputSchema: { type: 'object' },
  effect: 'unsafe',
  timeoutMs: 1,
  local: false,
  ...(origin !== undefined && { origin }),
});

const command = (name: string, call: string): ToolDefinition =>
  tool(name, { kind: 'command', call, tool: name, source: 'nightshift.yaml' });

const ofServer = (server: string, name: string): ToolDefinition =>
  tool(`mcp__${server}__${name}`, { kind: 'mcp', server, tool: name, config: '', pin: '' });

test('of two tools of one name the first stays, and people are told where both come from', () => {
  const all = [tool('bash'), command('bash', './a'), command('count', './a'), command('count', './b')];
  const servers = [ofServer('docs', 'api__find'), ofServer('docs__api', 'find')];
  const { definitions, notices } = withoutTwins([...all, ...servers]);
  expect(definitions).toEqual([all[0], all[2], servers[0]]);
  expect(notices).toEqual([
    'the tool "bash" of "./a" (nightshift.yaml) is left out, because Nightshift itself has one of this name',
    'the tool "count" of "./b" (nightshift.yaml) is left out, because "./a" (nightshift.yaml) has one of this name',
    'the tool "mcp__docs__api__find" of the MCP server docs__api is left out, because the MCP server docs has one of this name',
  ]);
});
