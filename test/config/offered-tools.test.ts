import { describe, expect, test } from 'vitest';
import { offerTools, roomForTools, toolsNotice } from '../../src/config/offered-tools.ts';
import { TOOL_SEARCH, USE_TOOL, useToolDefinition } from '../../src/contract/control-tools.ts';
import { TOOLS_SENT_MAX } from '../../src/contract/limits.ts';
import type { ToolDefinition } from '../../src/contract/spec.ts';
import { createRegistry } from '../../src/tools/registry.ts';
import { toolSearchTool } from '../../src/tools/tool-search.ts';
import { situation } from '../tools/situation.ts';

const searching = [...createRegistry([toolSearchTool]).definitions([TOOL_SEARCH]), useToolDefinition];

function builtIn(name: string): ToolDefinition {
  return { name, description: name, inputSchema: { type: 'object' }, effect: 'read', timeoutMs: 1_000, local: false };
}

function foreign(server: string, tool: string, description = tool): ToolDefinition {
  const origin = { kind: 'mcp', server, tool, config: 'sha256:c', pin: 'sha256:p' } as const;
  return { ...builtIn(`mcp__${server}__${tool}`), description, origin };
}

const many = (server: string, count: number): readonly ToolDefinition[] =>
  Array.from({ length: count }, (_, index) => foreign(server, `act_${index}`));

describe('offerTools()', () => {
  test('gives the same tools in the same order, whatever order they came in', () => {
    const tools = [builtIn('b'), builtIn('a'), foreign('x', 'c')];
    expect(offerTools(tools, searching)).toEqual(offerTools(tools.toReversed(), searching));
    expect(offerTools(tools, searching).tools.map(({ name }) => name)).toEqual(['a', 'b', 'mcp__x__c']);
  });

  test('sends all of them up to the limit, and above it only those that are built in and the search', () => {
    const at = offerTools([builtIn('bash'), ...many('x', TOOLS_SENT_MAX - 1)], searching).tools;
    expect(at.filter(({ deferred }) => deferred)).toEqual([]);
    const above = offerTools([builtIn('bash'), ...many('x', TOOLS_SENT_MAX), ...many('y', 3)], searching).tools;
    const sent = above.filter(({ deferred }) => deferred !== true).map(({ name }) => name);
    expect(sent).toEqual(['bash', TOOL_SEARCH, USE_TOOL]);
    const search = above.find(({ name }) => name === TOOL_SEARCH);
    expect(search?.description).toContain(`There are tools of: x (${TOOLS_SENT_MAX}), y (3).`);
  });

  test('tells the instructions of a server once, not with every tool', () => {
    const text = 'Dates are UTC.';
    const tools = many('x', 3).map((tool) => ({ ...tool, instructions: text }));
    const offered = offerTools([...tools, { ...builtIn('bash'), instructions: '' }], searching);
    expect(offered.instructions).toEqual([{ tools: tools.map(({ name }) => name), text }]);
    expect(JSON.stringify(offered.tools)).not.toContain(text);
  });

  test('says so when there are many tools, and again when most are left to be found', () => {
    expect(toolsNotice(many('x', 20))).toEqual([]);
    expect(toolsNotice(many('x', 21))[0]).toContain('21 tools are sent with every request');
    expect(toolsNotice(offerTools(many('x', 60), searching).tools)[0]).toContain('finds 60 of them by search');
  });
});

test('a server whose definitions fill a spec is left out, and takes no other down', () => {
  const wordy = many('wordy', 20).map((tool) => ({ ...tool, description: 'x'.repeat(20_000) }));
  const others = [builtIn('bash'), ...many('docs', 30), ...many('mail', 30)];
  const { kept, notices } = roomForTools([...wordy, ...others]);
  expect(kept).toEqual(others);
  expect(notices).toEqual([
    expect.stringMatching(
      /^the tools of wordy are left out: their definitions have 40\d{4} bytes, .* room for 327680 /,
    ),
  ]);
  expect(roomForTools(others)).toEqual({ kept: others, notices: [] });
});

describe('tool_search', () => {
  const definitions = offerTools(
    [
      ...many('filler', 60),
      foreign('tracker', 'create_issue', 'Opens an issue with a title and a text.'),
      foreign('tracker', 'listIssues', 'Lists what is open.'),
      foreign('mail', 'send', 'Sends a message to somebody.'),
    ],
    searching,
  ).tools;

  async function search(query: string, max?: number): Promise<string> {
    const { context } = await situation();
    const registry = createRegistry([toolSearchTool]);
    const input = { query, ...(max !== undefined && { max }) };
    const ran = await registry.run({ name: TOOL_SEARCH, input }, { ...context, definitions });
    return ran.kind === 'ended' ? ran.result.content : '';
  }

  test.each([
    ['open an issue', 'mcp__tracker__create_issue'],
    ['issues', 'mcp__tracker__create_issue'],
    ['mcp__mail__send', 'mcp__mail__send'],
    ['message', 'mcp__mail__send'],
    ['tracker', 'mcp__tracker__create_issue'],
  ])('finds for "%s" first %s', async (query, name) => {
    expect((await search(query)).split('\n')[0]).toBe(name);
  });

  test('gives the schema, and says how to call what it found', async () => {
    const text = await search('create issue', 1);
    expect(text).toContain('Input, as JSON schema: {"type":"object"}');
    expect(text).toContain('[1 of 2 that fit, of 63 tools. Call one with use_tool:');
  });

  test('says so when nothing fits', async () => {
    expect(await search('zeppelin')).toBe('[None of 63 tools fits; try other words.]');
  });
});
