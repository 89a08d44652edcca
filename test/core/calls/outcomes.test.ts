import { describe, expect, test } from 'vitest';
import type { Answer } from '../../../src/contract/approvals.ts';
import { PREVIEW_BYTES_MAX } from '../../../src/contract/limits.ts';
import type { ToolQuestion } from '../../../src/contract/tool-calls.ts';
import { apply, type Observation } from '../../../src/core/apply.ts';
import { settleRun } from '../../../src/core/settle.ts';
import { ANSWER_GRACE_MS } from '../../../src/core/people/approvals.ts';
import { begin } from '../../../src/core/begin.ts';
import { decide } from '../../../src/core/decide.ts';
import { answer, answerRefusal } from '../../../src/core/people/answers.ts';
import type { Run } from '../../../src/core/run.ts';
import { jsonBytes } from '../../../src/core/sizes.ts';
import { after, fresh, reply, result, started, T0 } from '../builders.ts';

const asking = { timeoutMs: 60_000, onTimeout: 'deny', unknownOutcome: 'ask' } as const;
const policy = { allow: ['bash', 'write'], ask: [], deny: [] };
const lost = result('c1-0', 'outcome_unknown: its worker was lost', { status: 'unknown', error: 'outcome_unknown' });

/** A run whose only call was started and whose worker was lost. */
function unknown(changes: Parameters<typeof fresh>[0] = {}): Run {
  const run = fresh({ policy, approvals: asking, ...changes });
  return after(run, reply(1, '', [['write', { path: 'a' }]]), started('c1-0'), lost);
}

function answered(run: Run, given: Partial<Answer>): Run {
  const id = run.approvals.at(-1)?.id ?? '';
  return settleRun(answer(run, { id, decision: 'answer', by: 'ann', ...given }, T0 + 9), T0 + 9);
}

function resultText(run: Run): string {
  return (
    run.messages.flatMap(({ content }) =>
      content.flatMap((block) => (block.type === 'tool_result' ? [block.content] : [])),
    )[0] ?? ''
  );
}

describe('an unknown outcome', () => {
  test('becomes a question to a person, bound to the digest of the call, and nothing else goes on', () => {
    const run = unknown();
    expect(run.approvals).toMatchObject([{ kind: 'outcome', status: 'open', digest: 'sha256:1-0', callId: 'c1-0' }]);
    expect(run.approvals[0]?.options.map(({ id }) => id)).toEqual(['happened', 'repeat', 'skip', 'stop']);
    expect(run.calls[0]?.status).toBe('awaiting_approval');
    expect(run.totals.toolCalls).toBe(1);
    expect(decide(run, T0 + 9).kind).toBe('wait');
  });

  test('that happened is told as done, with what the person saw', () => {
    const run = answered(unknown(), { choice: 'happened', text: 'the mail is in the outbox' });
    expect(resultText(run)).toBe(
      'ann looked and says that this call did happen. They report: the mail is in the outbox',
    );
    expect(run.totals).toMatchObject({ toolCalls: 1, unknown: 0 });
  });

  test('that did not happen is done by a new start of its own, and only for the digest that was shown', () => {
    const run = unknown();
    const repeat = { id: run.approvals[0]?.id ?? '', decision: 'answer', by: 'ann', choice: 'repeat' } as const;
    expect(answerRefusal(run, repeat, T0 + 9)?.reason).toBe('wrong_digest');
    expect(answerRefusal(run, { ...repeat, digest: 'sha256:other' }, T0 + 9)?.reason).toBe('wrong_digest');
    const again = answered(run, { choice: 'repeat', digest: 'sha256:1-0' });
    expect(again.calls[0]).toMatchObject({ status: 'scheduled', attempt: 2 });
    expect(again.calls[0]?.open).toBeUndefined();
    const done = after(again, started('c1-0'), result('c1-0', 'ok'));
    expect(resultText(done)).toBe('ok');
    expect(done.totals.toolCalls).toBe(2);
  });

  test('that is unknown again is asked about again', () => {
    const again = answered(unknown(), { choice: 'repeat', digest: 'sha256:1-0' });
    const twice = after(again, started('c1-0'), lost);
    expect(twice.approvals.map(({ kind, status }) => [kind, status])).toEqual([
      ['outcome', 'answered'],
      ['outcome', 'open'],
    ]);
  });

  test('that is left open is told as unknown, with who could not tell', () => {
    const run = answered(unknown(), { choice: 'skip', note: 'no access to the mail server' });
    expect(resultText(run)).toContain('outcome_unknown: its worker was lost ann could not tell either.');
    expect(resultText(run)).toContain('no access to the mail server');
    expect(run.totals.unknown).toBe(1);
  });

  test('can stop the run, and then nobody does anything more', () => {
    const run = answered(unknown(), { choice: 'stop' });
    expect(run.ending).toMatchObject({ status: 'stopped', reason: 'outcome_unknown' });
    expect(resultText(run)).toContain('outcome_unknown');
  });

  test('that nobody answers about in time stays unknown, and is not called expired', () => {
    const run = apply(unknown(), { kind: 'woken' }, T0 + 60_010 + ANSWER_GRACE_MS);
    expect(resultText(run)).toBe('outcome_unknown: its worker was lost Nobody could be asked in time.');
    expect(run.totals).toMatchObject({ unknown: 1, expired: 0 });
  });

  test('stays known as unknown when the run is cancelled while the question is open', () => {
    const run = apply(unknown(), { kind: 'cancelled' }, T0 + 9);
    expect(resultText(run)).toContain('outcome_unknown');
    expect(run.result?.totals.unknown).toBe(1);
    expect(run.approvals[0]?.status).toBe('superseded');
  });

  test.each([
    ['the spec of an earlier version does not ask', { approvals: { timeoutMs: 60_000, onTimeout: 'deny' as const } }],
    ['nobody can be asked', { policy: { ...policy, mode: 'unattended' as const } }],
  ])('is told to the model at once where %s', (_why, changes) => {
    expect(resultText(unknown(changes))).toContain('outcome_unknown');
  });
});

describe('a question of a tool', () => {
  const question: ToolQuestion = { message: 'Which account?', options: [], state: 's1' };
  const asked = { kind: 'asked', callId: 'c1-0', question, durationMs: 20 } as const;
  const open = (changes: Parameters<typeof fresh>[0] = {}, what: Observation = asked): Run =>
    after(fresh({ policy, approvals: asking, ...changes }), reply(1, '', [['write', {}]]), started('c1-0'), what);

  test('waits for a person, and the call is made again with the answer', () => {
    const run = open();
    expect(run.approvals).toMatchObject([{ kind: 'answer', title: 'Which account?', reason: 'write asks' }]);
    const next = answered(run, { text: 'the second' });
    expect(next.calls[0]).toMatchObject({
      status: 'scheduled',
      answers: [{ action: 'accept', text: 'the second', state: 's1' }],
    });
  });

  test('is shown in full where its title is not all of it', () => {
    const fields = Array.from({ length: 40 }, (_, index) => `- field-${index}: one of red, green, blue`);
    const message = ['Which of these?', ...fields].join('\n');
    const long = open({}, { ...asked, question: { ...question, message } });
    expect(long.approvals[0]?.title).not.toContain('field-39');
    expect(long.approvals[0]?.preview).toBe(message);
    expect(open().approvals[0]).not.toHaveProperty('preview');
    const endless = open({}, { ...asked, question: { ...question, message: '\u0000'.repeat(8_000) } });
    expect(jsonBytes(endless.approvals[0]?.preview)).toBeLessThanOrEqual(PREVIEW_BYTES_MAX);
  });

  test('that is declined or not answered is told to the tool as such', () => {
    const declined = answered(open(), { decision: 'deny' });
    expect(declined.calls[0]?.answers).toEqual([{ action: 'decline', state: 's1' }]);
    const late = apply(open(), { kind: 'woken' }, T0 + 60_010 + ANSWER_GRACE_MS);
    expect(late.calls[0]?.answers).toEqual([{ action: 'cancel', state: 's1' }]);
  });

  test('gets the id of the option that was chosen', () => {
    const options = [
      { id: 'yes', label: 'Yes' },
      { id: 'no', label: 'No' },
    ];
    const run = after(fresh({ policy, approvals: asking }), reply(1, '', [['write', {}]]), started('c1-0'), {
      kind: 'asked',
      callId: 'c1-0',
      question: { ...question, options },
      durationMs: 1,
    });
    expect(run.approvals[0]?.kind).toBe('choose');
    expect(answered(run, { choice: 'no' }).calls[0]?.answers).toEqual([{ action: 'accept', text: 'no', state: 's1' }]);
  });

  test('hears at once that nobody answers in a run that works unattended', () => {
    const run = open({ policy: { ...policy, mode: 'unattended' } });
    expect(run.calls[0]).toMatchObject({ status: 'scheduled', answers: [{ action: 'cancel' }] });
    expect(run.approvals).toEqual([]);
  });

  test('that comes again and again is given up', () => {
    let run = open();
    for (let times = 0; times < 30 && run.calls.length > 0; times += 1) {
      run = answered(run, { text: 'again' });
      const decision = decide(run, T0 + 9);
      if (decision.kind === 'act') run = apply(begin(run, decision, T0 + 9), asked, T0 + 9);
    }
    expect(resultText(run)).toContain('was given up');
  });
});
