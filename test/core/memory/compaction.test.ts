import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compact, needsCompaction, planCompaction } from '../../../src/core/memory/compaction.ts';
import { toolUses } from '../../../src/core/replies.ts';
import type { Run } from '../../../src/core/run.ts';
import { receive } from '../../../src/core/people/inbox.ts';
import { settleRun } from '../../../src/core/settle.ts';
import { after, fresh, next, reply, result, started, T0, words } from '../builders.ts';
import { limits, terms, turn } from './turns.ts';

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
  const run = compact(turns(60, 40_000), null, T0);
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
  expect(JSON.stringify(compact(turns(60, 40_000), null, T0).messages)).not.toContain('"thinking"');
});

test('it gets smaller, says what was done, and is counted', () => {
  const before = turns(60, 40_000);
  const run = compact(before, null, T0);
  expect(run.messageBytes).toBeLessThan(before.messageBytes * 0.6);
  expect(run.messageBytes).toBe(
    run.messages.reduce((sum, message) => sum + Buffer.byteLength(JSON.stringify(message)), 0),
  );
  expect(JSON.stringify(run.messages[1])).toContain('you called read');
  expect(run.log.kept.at(-1)?.type).toBe('run.compacted');
});

test('a conversation that cannot be made smaller stops the run instead of compacting for ever', () => {
  const run = compact({ ...fresh(), compactionWanted: true }, null, T0);
  expect(run.ending).toMatchObject({ status: 'stopped', reason: 'context' });
});

const byModel = { compaction: { windowShare: 0.6, keptShare: 0.6, by: 'model' } } as const;

test('at a share of the window a model is to summarise all but the newest share', () => {
  const run = { ...turns(10, 1_000), windowTokens: 130_000 };
  const asked: Run = { ...run, spec: { ...run.spec, ...byModel } };
  expect(needsCompaction(asked)).toBe(true);
  expect(planCompaction(asked)).toEqual({ messages: 9, by: 'model' });
  expect(planCompaction({ ...asked, messages: asked.messages.slice(0, 2) })).toEqual({ messages: 0, by: 'rule' });
});

test('the summary of a model stands in place of the old turns, is paid for, and names who wrote it', () => {
  const before = turns(10, 1_000);
  const run = compact(
    { ...before, spec: { ...before.spec, ...byModel } },
    { messages: 9, by: 'model', result: words('We read f1 to f4.') },
    T0,
  );
  expect(JSON.stringify(run.messages[1])).toContain('We read f1 to f4.');
  expect(run.messages).toHaveLength(2 + before.messages.length - 9);
  expect(run.totals.spending?.find(({ purpose }) => purpose === 'compact')?.calls).toBe(1);
  expect(run.log.kept.at(-1)).toMatchObject({
    type: 'run.compacted',
    by: 'model',
    messagesBefore: 21,
    messagesAfter: 14,
  });
});

test('a summary that the API signed comes first, the kept turns right behind it with their thinking, and then the task', () => {
  const signed = { type: 'other', block: { type: 'compaction', content: 'so far', signature: 's' } } as const;
  const result = { ...words(''), message: { role: 'assistant', content: [signed] } } as const;
  const before = turns(10, 1_000);
  const run = compact({ ...before, spec: { ...before.spec, ...byModel } }, { messages: 9, by: 'api', result }, T0);
  expect(run.messages[0]?.content).toEqual([signed]);
  expect(run.messages.slice(1, -1)).toEqual(before.messages.slice(9));
  expect(JSON.stringify(run.messages.at(-1))).toContain('do it');
});

test('plan, notes, outputs, open questions and the words of people outlast it word for word', () => {
  const told = 'Leave the folder "legacy" alone,\nwhatever happens.';
  const heard = settleRun(receive(turns(10, 1_000), { by: 'bob', text: 'still in the kept turns' }, T0), T0);
  const before: Run = {
    ...heard,
    plan: 'First the tests.',
    todos: [{ content: 'read all', status: 'in_progress', activeForm: 'Reading' }],
    notes: 'f3 holds the key',
    outputs: { title: 'x' },
    instructions: [{ by: 'ann', text: told }, ...heard.instructions],
  };
  const run = compact(
    {
      ...before,
      spec: {
        ...before.spec,
        ...byModel,
        outputs: [
          { name: 'title', schema: {} },
          { name: 'pages', schema: {} },
        ],
      },
    },
    null,
    T0,
  );
  const text = (run.messages[1]?.content ?? []).map((block) => (block.type === 'text' ? block.text : '')).join('\n');
  for (const kept of [
    'First the tests.',
    '[>] read all (Reading)',
    'f3 holds the key',
    'title: "x"',
    'pages',
    `ann says: ${told}`,
  ])
    expect(text).toContain(kept);
  expect(text).not.toContain('still in the kept turns');
});

test('whatever the turns were, no compaction parts a result from its call, and all get smaller', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(3_000), { minLength: 4, maxLength: 40 }),
      fc.double({ min: 0.1, max: 0.9, noNaN: true }),
      (sizes, keptShare) => {
        const drawn = sizes.reduce<Run>(
          (run, bytes, index) =>
            after(
              run,
              reply(index + 1, 'x', [['read', {}]]),
              started(`c${index + 1}-0`),
              result(`c${index + 1}-0`, 'y'.repeat(bytes)),
            ),
          fresh({ limits: { turns: 99, toolCalls: 99, activeMs: 1e9, tokens: 1e9, costUsd: 1e6 } }),
        );
        const run = compact(
          { ...drawn, spec: { ...drawn.spec, compaction: { windowShare: 0.6, keptShare, by: 'rule' } } },
          null,
          T0,
        );
        const calls = run.messages.flatMap((message) =>
          message.role === 'assistant' ? toolUses(message).map(({ id }) => id) : [],
        );
        const results = run.messages.flatMap(({ content }) =>
          content.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : [])),
        );
        expect(results).toEqual(calls);
        expect(run.messages.length).toBeLessThan(drawn.messages.length);
      },
    ),
    { numRuns: 100 },
  );
});

test('a conversation that no compaction brings below its share of the window is not compacted anew in each turn', () => {
  let run = fresh({ compaction: terms, limits });
  for (let count = 0; count < 30; count += 1) {
    run = turn(run, 130_000);
    if (next(run) === 'compact') run = compact(run, null, T0);
  }
  expect(run.compactions).toBe(0);
  run = turn(run, 151_000);
  expect(next(run)).toBe('compact');
  run = turn(compact(run, null, T0), 140_000);
  expect(next(run)).toBe('think turn');
  expect(next(turn(run, 161_000))).toBe('compact');
});

test('a run goes on while there is room, where its share of the window is full and nothing can be made smaller', () => {
  const first = turn(fresh({ compaction: { ...terms, keptShare: 0.99 }, limits }), 1_000);
  const told = settleRun(receive(first, { by: 'ann', text: 'Quickly, please.' }, T0), T0);
  expect(next({ ...told, windowTokens: 130_000 })).toBe('think turn');
});

test('what is kept by its share makes room all the same when the model says that the conversation does not fit', () => {
  const full = {
    ...turn(turn(fresh({ compaction: { ...terms, keptShare: 0.99 }, limits }), 10), 10),
    compactionWanted: true,
  };
  expect(next(full)).toBe('compact');
  const run = compact(full, null, T0);
  expect(run.ending).toBeNull();
  expect(run.messages.slice(2)).toEqual(full.messages.slice(3));
});

test('a transcript that no compaction brings below what can be carried stops the run, instead of compacting for ever', () => {
  const read = Array.from({ length: 10 }).reduce<Run>(
    (so) => turn(so, 10, 300_000),
    fresh({ compaction: terms, limits }),
  );
  const full: Run = { ...read, outputs: { quotes: '"'.repeat(300_000) } };
  let [run, times] = [full, 0];
  for (; next(run) === 'compact' && times < 10; times += 1) run = compact(run, null, T0);
  expect(times).toBe(3);
  expect(run.ending).toMatchObject({ status: 'stopped', reason: 'context' });
});

test('a rule that takes over from a model or from the API keeps their summary of the turns before', () => {
  const summary = `It began with ${'y'.repeat(6_000)} and the key is in f3`;
  const signed = { type: 'other', block: { type: 'compaction', content: summary, signature: 's' } } as const;
  const result = { ...words(''), message: { role: 'assistant', content: [signed] } } as const;
  const before = { ...turns(10, 100), notes: 'n'.repeat(9_000) };
  const run: Run = { ...before, spec: { ...before.spec, ...byModel } };
  for (const one of [
    compact(run, { messages: 9, by: 'api', result }, T0),
    compact(run, { messages: 9, by: 'model', result: words(summary) }, T0),
  ]) {
    const later = [1, 2, 3, 4, 5, 6].reduce<Run>((so) => turn(so, 10), one);
    const text = JSON.stringify(compact(later, null, T0).messages);
    expect(text.split(summary).length - 1).toBe(1);
  }
});
