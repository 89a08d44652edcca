import { describe, expect, test } from 'vitest';
import type { ToolDefinition } from '../../src/contract/spec.ts';
import { TOOL_OUTPUT_CHARACTERS_MAX } from '../../src/contract/limits.ts';
import { toolSearchTool } from '../../src/tools/tool-search.ts';
import { oneTool } from './one-tool.ts';

const SERVERS = ['github', 'gitlab', 'jira', 'slack', 'sentry', 'stripe', 'notion', 'linear', 'postgres', 'files'];
const THINGS = ['issue', 'comment', 'user', 'message', 'channel', 'payment', 'page', 'query', 'file', 'release'];
const VERBS = ['create', 'list'];

/** Two hundred tools that say much the same about themselves, as those of servers do. */
const TWO_HUNDRED = SERVERS.flatMap((server) =>
  THINGS.flatMap((thing) =>
    VERBS.map((verb) =>
      hiddenTool(
        `mcp__${server}__${verb}_${thing}`,
        `Use this to ${verb} a ${thing} in the workspace of ${server}. It returns the ${thing}s as JSON to the caller.`,
      ),
    ),
  ),
);

function hiddenTool(name: string, description: string, properties: object = {}): ToolDefinition {
  const inputSchema = { type: 'object', properties };
  return { name, description, inputSchema, effect: 'unsafe', timeoutMs: 1, local: false, deferred: true };
}

async function search(input: object, definitions = TWO_HUNDRED): Promise<string> {
  const { run, context } = await oneTool(toolSearchTool);
  return (await run(input, { definitions: [...context.definitions, ...definitions] })).content;
}

/** Names of the tools whose definitions are given, in order. */
async function found(query: string, max = 8): Promise<readonly string[]> {
  return [...(await search({ query, max })).matchAll(/^mcp__\w+$/gm)].map(([name]) => name);
}

describe('of two hundred tools', () => {
  const exactly: [query: string, names: readonly string[]][] = [
    ['mcp__slack__create_message', ['mcp__slack__create_message']],
    [' MCP__Slack__Create_Message ', ['mcp__slack__create_message']],
    ['slack__list_p', ['mcp__slack__list_page', 'mcp__slack__list_payment']],
  ];
  test.each(exactly)('the name "%s" finds exactly what has it', async (query, names) => {
    expect((await found(query)).toSorted()).toEqual(names);
  });

  test('the part of a name that the tools of a server share finds those and no others', async () => {
    const names = await found('mcp__jira__', 20);
    expect(names).toHaveLength(20);
    expect(names.filter((name) => !name.startsWith('mcp__jira__'))).toEqual([]);
  });

  const first: [query: string, name: string][] = [
    ['create an issue in github', 'mcp__github__create_issue'],
    ['I want to list all the payments that there are in the stripe workspace', 'mcp__stripe__list_payment'],
    ['send a new message by slack: create a message', 'mcp__slack__create_message'],
    ['postgres queries', 'mcp__postgres__create_query'],
  ];
  test.each(first)('"%s" finds %s first', async (query, name) => {
    expect((await found(query))[0]).toBe(name);
  });

  test('what fits none says so, and the rest how many fit', async () => {
    expect(await search({ query: 'teleport' })).toBe('[None of 200 tools fits; try other words.]');
    expect(await search({ query: 'jira', max: 3 })).toMatch(
      /\n\n\[3 of 20 that fit, of 200 tools\. Call one with use_tool/,
    );
  });
});

test('large definitions are given whole or not at all', async () => {
  const large = Array.from({ length: 8 }, (_, index) =>
    hiddenTool(`mcp__big__tool_${index}`, 'Big.', { a: { type: 'string', description: 'x'.repeat(15_000) } }),
  );
  const text = await search({ query: 'big' }, large);
  expect(text.length).toBeLessThanOrEqual(TOOL_OUTPUT_CHARACTERS_MAX);
  expect(text.match(/^Input, as JSON schema: \{.*\}$/gm)).toHaveLength(3);
  expect(text).toContain('[3 of 8 that fit, of 8 tools.');
});
