import { describe, expect, test } from 'vitest';
import { answerOf } from '../../src/activities/hook-answer.ts';
import type { HookMoment } from '../../src/contract/terms.ts';
import type { HookCommandEnd } from '../../src/tools/commands/hook-command.ts';
import type { ShellEnd } from '../../src/tools/shell/shell.ts';

const ran = (changes: Partial<HookCommandEnd>): HookCommandEnd => ({
  end: { kind: 'exit', code: 0 },
  output: '',
  errors: '',
  isCut: false,
  ...changes,
});

const EXPECTED =
  'what it printed is no answer; expected nothing or {"decision"?: "deny", "reason"?: text, "context"?: text}';

describe('what a hook prints must be an answer, so that none that is meant to deny passes for one that does not', () => {
  test.each([
    'hello',
    '[]',
    'null',
    '"deny"',
    '{"decision":"block"}',
    '{"decision":"allow"}',
    '{"decision":null}',
    '{"desicion":"deny"}',
    '{"decision":"deny","reason":5}',
    '{"continue":false}',
    '{} {}',
    '{"decision":"deny"',
  ])('%s fails', (output) => {
    const answer = { status: 'failed', reason: `${EXPECTED}, got ${output}`, context: '' };
    expect(answerOf('before_tool', ran({ output }), 1_000)).toEqual(answer);
  });
});

test.each<HookMoment>(['before_model', 'after_model', 'after_tool', 'after_critique', 'before_stop'])(
  'at %s nothing can be denied, and no event says that it was',
  (on) => {
    const reason = `it denied at ${on}, where nothing can be denied; expected that of before_tool only: no`;
    const output = '{"decision":"deny","reason":"no"}';
    expect(answerOf(on, ran({ output }), 1_000)).toEqual({ status: 'failed', reason, context: '' });
    expect(answerOf(on, ran({ end: { kind: 'exit', code: 2 }, errors: 'no' }), 1_000)).toEqual({
      status: 'failed',
      reason: 'its command ended with exit code 2; it said: no',
      context: '',
    });
  },
);

test.each<[end: ShellEnd, reason: string]>([
  [{ kind: 'killed', by: 'SIGKILL' }, 'its command was killed by SIGKILL; it said: ouch'],
  [
    { kind: 'stopped', why: 'it used too much memory' },
    'its command was killed: it used too much memory; it said: ouch',
  ],
  [{ kind: 'timeout' }, 'its command took longer than 1.5 s; it said: ouch'],
  [{ kind: 'unconfined' }, 'its command cannot be confined: the sandbox could not be made; it said: ouch'],
])('%j is a failure, whatever it printed', (end, reason) => {
  const ended = ran({ end, output: '{"context":"x"}', errors: 'ouch\n' });
  expect(answerOf('before_tool', ended, 1_500)).toEqual({ status: 'failed', reason, context: '' });
});

test('a hook that was cancelled gave no answer', () => {
  expect(answerOf('before_tool', ran({ end: { kind: 'cancelled' } }), 1_000)).toBeUndefined();
});
