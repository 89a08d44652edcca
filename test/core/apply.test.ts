import { expect, test } from 'vitest';
import type { ToolResultBlock } from '../../src/contract/messages.ts';
import { apply } from '../../src/core/apply.ts';
import { settleRun } from '../../src/core/settle.ts';
import { ANSWER_GRACE_MS } from '../../src/core/people/approvals.ts';
import { decide } from '../../src/core/decide.ts';
import { receive } from '../../src/core/people/inbox.ts';
import { answer } from '../../src/core/people/answers.ts';
import type { Run } from '../../src/core/run.ts';
import { after, fresh, lastText, reply, result, started, T0 } from './builders.ts';

const bash: [string, unknown] = ['bash', { command: 'make' }];

function results(run: Run): readonly ToolResultBlock[] {
  const message = run.messages.findLast(
    ({ role, content }) => role === 'user' && content.some(({ type }) => type === 'tool_result'),
  );
  return (message?.content ?? []).filter((block) => block.type === 'tool_result');
}

test('results stand in the order the model asked, whatever finished first', () => {
  const asked = reply(1, '', [
    ['read', {}],
    ['read', {}],
    ['read', {}],
  ]);
  const run = after(
    fresh(),
    asked,
    started('c1-0', 'c1-1', 'c1-2'),
    result('c1-2', 'C'),
    result('c1-0', 'A'),
    result('c1-1', 'B'),
  );
  expect(results(run).map(({ content }) => content)).toEqual(['A', 'B', 'C']);
});

test('what the policy denies is told and counted as any other end', () => {
  const run = after(
    fresh({ policy: { allow: [], ask: [], deny: ['bash'] } }),
    reply(1, '', [bash, ['read', {}]]),
    started('c1-1'),
    result('c1-1'),
  );
  expect(run.totals).toMatchObject({ denied: 1, toolCalls: 1 });
  const ends = run.log.kept.flatMap((event) => (event.type === 'tool.ended' ? [[event.tool, event.status]] : []));
  expect(ends).toEqual([
    ['bash', 'denied'],
    ['read', 'success'],
  ]);
});

test('a result that comes twice counts once', () => {
  const run = after(
    fresh(),
    reply(1, '', [
      ['read', {}],
      ['read', {}],
    ]),
    started('c1-0'),
    result('c1-0', 'A'),
    result('c1-0', 'again'),
  );
  expect(run.totals.toolCalls).toBe(1);
  expect(run.calls[0]?.result?.content).toBe('A');
});

test('denied, expired and broken reach the model as different words', () => {
  const asked = after(fresh(), reply(1, '', [bash]));
  const id = asked.approvals[0]?.id ?? '';
  const denied = settleRun(answer(asked, { id, decision: 'deny', by: 'ann', note: 'too risky' }, T0 + 5), T0 + 5);
  const expired = apply(asked, { kind: 'woken' }, T0 + 1 + 60_000 + ANSWER_GRACE_MS);
  const freely = fresh({ policy: { allow: ['bash'], ask: [], deny: [] } });
  const broken = after(
    freely,
    reply(1, '', [bash]),
    started('c1-0'),
    result('c1-0', 'execution_failed: boom', { status: 'error', error: 'execution_failed' }),
  );
  expect([denied, expired, broken].map((run) => results(run)[0]?.content.split(':')[0])).toEqual([
    'denied',
    'expired',
    'execution_failed',
  ]);
  expect(results(denied)[0]?.content).toContain('too risky');
  expect(results(expired)[0]?.content).toContain('Nobody refused it');
});

test('an approved call runs, and only then counts as a tool call', () => {
  const asked = after(fresh(), reply(1, '', [bash]));
  const [approval] = asked.approvals;
  expect(approval?.digest).toBe('sha256:1-0');
  const run = settleRun(
    answer(asked, { id: approval?.id ?? '', decision: 'approve', digest: 'sha256:1-0', by: 'ann' }, T0 + 5),
    T0 + 5,
  );
  expect(decide(run, T0 + 5)).toMatchObject({ kind: 'act', calls: [{ id: 'c1-0' }] });
  expect(run.totals.toolCalls).toBe(0);
});

test('an approval that may stop the run stops it, with a summary of what was done', () => {
  const asked = after(fresh({ approvals: { timeoutMs: 1_000, onTimeout: 'stop' } }), reply(1, '', [bash]));
  const run = apply(asked, { kind: 'woken' }, T0 + 10_000);
  expect(decide(run, T0)).toEqual({ kind: 'think', purpose: 'summary' });
  expect(run.ending).toMatchObject({ status: 'stopped', reason: 'approval_expired' });
  const ended = apply(run, { kind: 'summary', result: null }, T0);
  expect(ended.result?.answer).toContain('tool calls');
});

test('several calls of one turn wait in parallel, each under its own id', () => {
  const run = after(fresh(), reply(1, '', [bash, bash, bash]));
  expect(run.approvals.map(({ id, status }) => [id, status])).toEqual([
    ['r1.1', 'open'],
    ['r1.2', 'open'],
    ['r1.3', 'open'],
  ]);
});

test('the turn limit ends with a question for a summary, asked once', () => {
  const run = after(
    fresh({ limits: { turns: 1, toolCalls: 9, activeMs: 1e6, tokens: 1e6, costUsd: 9 } }),
    reply(1, '', [['read', {}]]),
    started('c1-0'),
    result('c1-0'),
  );
  expect(run.ending).toMatchObject({ status: 'stopped', reason: 'turns' });
  expect(lastText(run)).toContain('no more tools');
  expect(settleRun(run, T0).messages).toHaveLength(run.messages.length);
});

test('calls past the limit of tool calls are told so and not run', () => {
  const limits = { turns: 9, toolCalls: 1, activeMs: 1e6, tokens: 1e6, costUsd: 9 };
  const run = after(
    fresh({ limits }),
    reply(1, '', [
      ['write', {}],
      ['write', {}],
    ]),
    started('c1-0'),
    result('c1-0'),
  );
  expect(results(run).map(({ is_error }) => is_error ?? false)).toEqual([false, true]);
  expect(run.ending).toMatchObject({ reason: 'tool_calls' });
});

test('a message sent while the model thinks is heard, and a run about to complete goes on', () => {
  const said = receive(fresh(), { by: 'ann', text: 'and then?' }, T0);
  const run = after(said, reply(1, 'done'));
  expect(run.result).toBeNull();
  expect(lastText(run)).toBe('ann says: and then?');
});

test('a message never stands between a call and its result', () => {
  const open = after(fresh(), reply(1, '', [['read', {}]]));
  const said = settleRun(receive(open, { by: 'ann', text: 'hello' }, T0), T0);
  expect(said.messages).toHaveLength(2);
  const closed = after(said, started('c1-0'), result('c1-0'));
  expect(closed.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'user']);
});

test('a flood of messages is heard in parts and never lost', () => {
  const text = 'x'.repeat(1_000);
  let run = fresh();
  for (let i = 0; i < 300; i += 1) run = receive(run, { by: 'ann', text: `${i} ${text}` }, T0);
  let heard = 0;
  for (let turn = 1; run.inbox.length > 0 && turn < 9; turn += 1) {
    run = after(run, reply(turn, 'go on', [['read', {}]]), started(`c${turn}-0`), result(`c${turn}-0`));
    heard += (lastText(run).match(/says:/gu) ?? []).length;
  }
  expect(heard).toBe(300);
});

test('a message that was sent twice, because nobody could tell, is heard once', () => {
  const message = { id: 'm1', by: 'ann', text: 'hello' };
  const run = receive(receive(fresh(), message, T0), message, T0);
  expect(run.inbox).toHaveLength(1);
});

test('a question about a call that will not run any more is superseded at once', () => {
  const limits = { turns: 9, toolCalls: 1, activeMs: 1e6, tokens: 1e6, costUsd: 9 };
  const run = after(fresh({ limits }), reply(1, '', [['read', {}], bash]), started('c1-0'), result('c1-0'));
  expect(run.ending).toMatchObject({ reason: 'tool_calls' });
  expect(run.approvals[0]?.status).toBe('superseded');
});

test('a message too large, or one too many, is refused in the open', () => {
  const large = receive(fresh(), { by: 'ann', text: 'x'.repeat(70_000) }, T0);
  expect(large.inbox).toHaveLength(0);
  expect(large.log.kept.at(-1)?.type).toBe('message.refused');
});

test('stop reasons each have their path', () => {
  const paths: Record<string, unknown> = {};
  for (const reason of [
    'end_turn',
    'stop_sequence',
    'max_tokens',
    'refusal',
    'pause_turn',
    'model_context_window_exceeded',
    'brand_new',
  ]) {
    const run = after(fresh(), reply(1, 'words', [], reason));
    paths[reason] = run.result?.outcome.status ?? (run.compactionWanted ? 'compact' : run.messages.at(-1)?.role);
  }
  expect(paths).toEqual({
    end_turn: 'completed',
    stop_sequence: 'completed',
    max_tokens: 'user',
    refusal: 'stopped',
    pause_turn: 'assistant',
    model_context_window_exceeded: 'compact',
    brand_new: 'user',
  });
});

test('calls of a cut reply are not run, and each has a result', () => {
  const run = after(fresh(), reply(1, 'writing', [bash], 'max_tokens'));
  expect(run.calls).toHaveLength(0);
  expect(results(run)[0]?.content).toContain('not run');
  expect(run.approvals).toHaveLength(0);
});

test('replies that cannot be used end the run after three in a row', () => {
  const cut = (turn: number): ReturnType<typeof reply> => reply(turn, 'cut', [], 'max_tokens');
  const run = after(fresh(), cut(1), cut(2), cut(3));
  expect(run.result?.outcome).toMatchObject({ status: 'stopped', reason: 'max_tokens' });
});

test('an empty reply is not kept, because it could not be sent again', () => {
  const run = after(fresh(), reply(1, ''));
  expect(run.messages).toHaveLength(1);
  expect(run.result?.outcome.status).toBe('completed');
});

test('two calls with one id cannot both be answered, so the reply is thrown away', () => {
  const twins = reply(1, '', [['read', {}]]);
  if (twins.kind !== 'reply') throw new Error('unreachable');
  const [use] = twins.result.message.content;
  const run = after(fresh(), {
    kind: 'reply',
    result: { ...twins.result, message: { role: 'assistant', content: [use!, use!] } },
  });
  expect(run.messages).toHaveLength(1);
  expect(run.problems).toBe(1);
});

test('results of one turn together stay under their limit', () => {
  const calls = Array.from({ length: 40 }, (): [string, unknown] => ['write', {}]);
  let run = after(fresh(), reply(1, '', calls));
  for (let i = 0; i < 40; i += 1) run = after(run, started(`c1-${i}`), result(`c1-${i}`, 'x'.repeat(50_000)));
  expect(JSON.stringify(results(run)).length).toBeLessThan(460_000);
  expect(results(run).at(-1)?.content).toContain('left out');
});

test('a cancelled run keeps a result for every call', () => {
  const run = after(fresh(), reply(1, '', [['read', {}], bash]), { kind: 'cancelled' });
  expect(results(run)).toHaveLength(2);
  expect(run.approvals[0]?.status).toBe('superseded');
  expect(run.result?.outcome.status).toBe('cancelled');
});

test('money and tokens are summed, and unpriced calls are counted apart', () => {
  const unpriced = reply(2, 'x', [['read', {}]]);
  if (unpriced.kind === 'reply') Object.assign(unpriced.result.usage, { costUsd: null });
  const run = after(fresh(), reply(1, '', [['read', {}]]), started('c1-0'), result('c1-0'), unpriced);
  expect(run.totals.usage).toMatchObject({ input: 20, output: 10, costUsd: 0.01 });
  expect(run.totals.unpricedCalls).toBe(1);
});
