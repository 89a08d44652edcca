import { expect, test } from 'vitest';
import { compact, needsCompaction } from '../../src/core/compaction.ts';
import { toolUses } from '../../src/core/replies.ts';
import type { Run } from '../../src/core/run.ts';
import { after, fresh, reply, result, started, T0 } from './builders.ts';

function turns(count: number, bytes: number): Run {
  let run = fresh({ limits: { turns: 9_999, toolCalls: 9_999, activeMs: 1e9, tokens: 1e9, costUsd: 1e6 } });
  for (let turn = 1; turn <= count; turn += 1) {
    const thinking = reply(turn, `step ${turn}`, [['read', { path: `f${turn}` }]]);
    if (thinking.kind === 'reply')
      Object.assign(thinking.result.message, {
        content: [{ type: 'thinking', thinking: 'hm', signature: 's' }, ...thinking.result.message.content],
      });
    run = after(run, thinking, started(`c${turn}-0`), result(`c${turn}-0`, 'x'.repeat(bytes)));
  }
  return run;
}

test('a transcript near what a continuation can carry is compacted', () => {
  expect(needsCompaction(turns(10, 1_000))).toBe(false);
  expect(needsCompaction(turns(50, 50_000))).toBe(true);
});

test('no result is parted from its call, and the task stays word for word', () => {
  const run = compact(turns(60, 40_000), T0);
  const calls = run.messages.flatMap((message) =>
    message.role === 'assistant' ? toolUses(message).map(({ id }) => id) : [],
  );
  const results = run.messages.flatMap(({ content }) =>
    content.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : [])),
  );
  expect(results).toEqual(calls);
  expect(calls.at(-1)).toBe('c60-0');
  expect(run.messages[0]).toEqual({ role: 'user', content: [{ type: 'text', text: 'do it' }] });
});

test('all thinking is dropped, because it is signed over what is gone', () => {
  expect(JSON.stringify(compact(turns(60, 40_000), T0).messages)).not.toContain('"thinking"');
});

test('it gets smaller, says what was done, and is counted', () => {
  const before = turns(60, 40_000);
  const run = compact(before, T0);
  expect(run.messageBytes).toBeLessThan(before.messageBytes * 0.6);
  expect(run.messageBytes).toBe(
    run.messages.reduce((sum, message) => sum + Buffer.byteLength(JSON.stringify(message)), 0),
  );
  expect(JSON.stringify(run.messages[1])).toContain('you called read');
  expect(run.log.kept.at(-1)?.type).toBe('run.compacted');
});

test('a conversation that cannot be made smaller stops the run instead of compacting for ever', () => {
  const run = compact({ ...fresh(), compactionWanted: true }, T0);
  expect(run.ending).toMatchObject({ status: 'stopped', reason: 'context' });
});
