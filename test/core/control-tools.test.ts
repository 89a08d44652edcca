import { expect, test } from 'vitest';
import { controlDefinitions, TODOS_MAX, USE_TOOL } from '../../src/contract/control-tools.ts';
import { effectiveUse } from '../../src/core/use-tool.ts';
import { detailsOf, viewOf } from '../../src/core/view.ts';
import type { Run } from '../../src/core/run.ts';
import { after, fresh, reply, result, started } from './builders.ts';

const item = { text: 'look', status: 'doing' };

function lastResult(run: Run): string {
  const block = run.messages.at(-1)?.content[0];
  return block?.type === 'tool_result' ? block.content : '';
}

test('the list of an agent is kept without any step, and people see it', () => {
  const run = after(fresh(), reply(1, '', [['todo', { items: [item, { text: 'write', status: 'open' }] }]]));
  expect(lastResult(run)).toBe('The list has 2 items, 0 of them done.');
  expect(viewOf(run).todos).toEqual([item, { text: 'write', status: 'open' }]);
  expect(detailsOf(run)).toContain('- [~] look');
  expect(run.totals.toolCalls).toBe(0);
  const done = after(run, reply(2, '', [['todo', { items: [{ ...item, status: 'done' }] }]]));
  expect(viewOf(done).todos).toEqual([{ ...item, status: 'done' }]);
});

test.each([
  ['nothing', undefined],
  ['no list', { items: 'look' }],
  ['an item without text', { items: [{ status: 'open' }] }],
  ['an item of an odd status', { items: [{ text: 'x', status: 'soon' }] }],
  ['too many items', { items: Array.from({ length: TODOS_MAX + 1 }, () => item) }],
])('%s for a list is an error that the model can mend, and the old list stays', (_name, input) => {
  const kept = after(fresh(), reply(1, '', [['todo', { items: [item] }]]));
  const run = after(kept, reply(2, '', [['todo', input]]));
  expect(lastResult(run)).toMatch(/^invalid_params: /);
  expect(run.todos).toEqual([item]);
});

test('a call through use_tool is the call it holds, for the policy, for people and for the transcript', () => {
  expect(effectiveUse({ name: USE_TOOL, input: { tool: 'bash', input: { command: 'ls' } } })).toEqual({
    name: 'bash',
    input: { command: 'ls' },
  });
  for (const odd of [undefined, null, {}, { tool: 1 }, { tool: USE_TOOL, input: {} }])
    expect(effectiveUse({ name: USE_TOOL, input: odd }).name).toBe(USE_TOOL);
  const run = after(fresh(), reply(1, '', [[USE_TOOL, { tool: 'bash', input: { command: 'rm -rf x' } }]]));
  expect(run.calls[0]).toMatchObject({ tool: 'bash', effect: 'unsafe', status: 'awaiting_approval' });
  expect(viewOf(run).approvals[0]?.arguments).toEqual({ command: 'rm -rf x' });
});

test('how to use a tool is told behind its first result, once, and again after a compaction', () => {
  const instructions = [{ tools: ['read', 'bash'], text: 'Ask for lines 1 to 10 first.' }];
  const one = after(fresh({ instructions }), reply(1, '', [['read', {}]]), started('c1-0'), result('c1-0', 'A'));
  expect(lastResult(one)).toBe('A\n\n[How to use read, told once]\nAsk for lines 1 to 10 first.');
  const two = after(one, reply(2, '', [['read', {}]]), started('c2-0'), result('c2-0', 'B'));
  expect(lastResult(two)).toBe('B');
  expect(two.instructed).toEqual(['read', 'bash']);
});

test('every control tool has a definition as the model needs it', () => {
  expect(controlDefinitions.map(({ name }) => name)).toEqual(['ask_human', 'todo']);
});
