import { expect, test } from 'vitest';
import { controlDefinitions, TODOS_MAX, USE_TOOL } from '../../../src/contract/control-tools.ts';
import { effectiveUse } from '../../../src/core/calls/use-tool.ts';
import { detailsOf, viewOf } from '../../../src/core/view.ts';
import type { Run } from '../../../src/core/run.ts';
import { after, fresh, reply, result, started } from '../builders.ts';

const item = { content: 'look', status: 'in_progress', activeForm: 'Looking' };
const later = { content: 'write', status: 'pending' };

function lastResult(run: Run): string {
  const block = run.messages.at(-1)?.content[0];
  return block?.type === 'tool_result' ? block.content : '';
}

const planned = (...items: unknown[]): Run => after(fresh(), reply(1, '', [['todo', { items }]]));

test('the plan of an agent is kept without any step, and people see it', () => {
  const run = planned(item, later);
  expect(lastResult(run)).toBe('The plan is now:\n[>] look (Looking)\n[ ] write\n(0/2 completed)');
  expect(viewOf(run).todos).toEqual([item, later]);
  expect(detailsOf(run)).toContain('- [ ] write');
  expect(run.totals.toolCalls).toBe(0);
  const done = after(run, reply(2, '', [['todo', { items: [{ ...item, status: 'completed' }] }]]));
  expect(viewOf(done).todos).toEqual([{ ...item, status: 'completed' }]);
  expect(run.log.kept.at(-2)).toMatchObject({ type: 'plan.updated' });
});

test('each status has a mark of its own, and what is done is counted', () => {
  const items = ['pending', 'in_progress', 'completed', 'blocked'].map((status) => ({ content: status, status }));
  expect(
    lastResult(planned(...items))
      .split('\n')
      .slice(1),
  ).toEqual(['[ ] pending', '[>] in_progress', '[x] completed', '[!] blocked', '(1/4 completed)']);
});

test.each([
  ['nothing', undefined, 'expected {"items"'],
  ['no list', { items: 'look' }, 'expected {"items"'],
  ['an item without content', { items: [{ status: 'pending' }] }, 'item 1: expected a "content"'],
  ['an item of an odd status', { items: [later, { content: 'x', status: 'soon' }] }, 'item 2: expected a "status"'],
  ['two items in progress', { items: [item, item] }, 'at most one item that is in_progress, got 2'],
  ['too many items', { items: Array.from({ length: TODOS_MAX + 1 }, () => later) }, 'at most 12 items, got 13'],
])('%s for a plan is an error that says what is wrong, and the old plan stays', (_name, input, problem) => {
  const run = after(planned(item), reply(2, '', [['todo', input]]));
  expect(lastResult(run)).toMatch(/^invalid_params: /);
  expect(lastResult(run)).toContain(problem);
  expect(run.todos).toEqual([item]);
});

test('a run that began before version 0.3 may send its plan as it was told to', () => {
  expect(planned({ text: 'look', status: 'doing' }).todos).toEqual([{ content: 'look', status: 'in_progress' }]);
});

test('notes replace the earlier ones, and too long ones are refused', () => {
  const run = after(fresh(), reply(1, '', [['notes', { text: 'one' }]]), reply(2, '', [['notes', { text: 'two' }]]));
  expect(viewOf(run).notes).toBe('two');
  const long = after(run, reply(3, '', [['notes', { text: 'x'.repeat(20_000) }]]));
  expect(lastResult(long)).toContain('expected at most');
  expect(long.notes).toBe('two');
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

test('how to use a tool is told again when the result it stood behind was left out of a full turn', () => {
  const instructions = [{ tools: ['read'], text: 'Ask for lines 1 to 10 first.' }];
  const big = Array.from({ length: 9 }, (): [string, unknown] => ['bash', { command: 'make' }]);
  const calls = [...big, ['read', {}] as [string, unknown]];
  const full = after(
    fresh({ instructions, policy: { allow: ['*'], ask: [], deny: [] } }),
    reply(1, '', calls),
    ...calls.flatMap((_, index) => [started(`c1-${index}`), result(`c1-${index}`, 'x'.repeat(49_000))]),
  );
  const left = full.messages.at(-1)?.content.at(-1);
  expect(left?.type === 'tool_result' && left.content).toContain('was left out');
  const again = after(full, reply(2, '', [['read', {}]]), started('c2-0'), result('c2-0', 'B'));
  expect(lastResult(again)).toBe('B\n\n[How to use read, told once]\nAsk for lines 1 to 10 first.');
});

test('every control tool has a definition as the model needs it', () => {
  expect(controlDefinitions.map(({ name }) => name)).toEqual(['ask_human', 'todo', 'notes', 'terminate']);
});
