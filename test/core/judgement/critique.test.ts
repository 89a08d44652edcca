import { expect, test } from 'vitest';
import { apply } from '../../../src/core/apply.ts';
import { readVerdict } from '../../../src/core/judgement/verdict.ts';
import { decide } from '../../../src/core/decide.ts';
import type { Run } from '../../../src/core/run.ts';
import { after, fresh, lastText, planOf, reply, result, started, T0, verdict } from '../builders.ts';

const judged = { critique: { when: 'before_complete', redoMax: 2 } } as const;
const often = { critique: { when: 'every_turn', redoMax: 2 } } as const;

/** What comes next, in a word or two. */
function next(run: Run): string {
  const decision = decide(run, T0);
  if (decision.kind === 'end') return `end ${decision.result.outcome.status}`;
  return decision.kind === 'think' ? `think ${decision.purpose}` : decision.kind;
}

const looked = [reply(1, '', [['read', {}]]), started('c1-0'), result('c1-0')] as const;

const cases: [name: string, run: Run, expected: string][] = [
  ['a run that plans begins with the plan', fresh({ planning: true }), 'think plan'],
  ['after the plan the work begins', after(fresh({ planning: true }), planOf(1)), 'think turn'],
  ['an answer is judged before the run completes', after(fresh(judged), reply(1, 'done')), 'reflect'],
  ['complete lets it complete', after(fresh(judged), reply(1, 'done'), verdict('complete')), 'end completed'],
  ['continue sends it back to work', after(fresh(judged), reply(1, 'done'), verdict('continue')), 'think turn'],
  ['retry sends it back to the step', after(fresh(judged), reply(1, 'done'), verdict('retry')), 'think turn'],
  ['replan sends it back to the plan', after(fresh(judged), reply(1, 'done'), verdict('replan')), 'think plan'],
  [
    'a critique that cannot be had lets it complete',
    after(fresh(judged), reply(1, 'done'), { kind: 'critique', result: null }),
    'end completed',
  ],
  ['a turn is judged where that is wanted', after(fresh(often), ...looked), 'reflect'],
  ['and not where it is not', after(fresh(judged), ...looked), 'think turn'],
  ['a turn that is on its way goes on', after(fresh(often), ...looked, verdict('continue')), 'think turn'],
  ['a goal that is reached is asked for its answer', after(fresh(often), ...looked, verdict('complete')), 'think turn'],
  [
    'a run past a limit is not judged any more',
    after(fresh({ ...often, limits: { turns: 1, toolCalls: 9, activeMs: 1e6, tokens: 1e6, costUsd: 9 } }), ...looked),
    'think summary',
  ],
];

test.each(cases)('%s', (_name, run, expected) => {
  expect(next(run)).toBe(expected);
});

test('the reason of a verdict stands in front of the model', () => {
  expect(lastText(after(fresh(judged), reply(1, 'done'), verdict('retry', 'the tests fail')))).toContain(
    'the tests fail',
  );
});

test('a critique that never has enough is followed twice, and then the run may complete', () => {
  let run = fresh(judged);
  for (let turn = 1; turn <= 3; turn += 1) run = after(run, reply(turn, 'done'), verdict('retry'));
  expect(next(run)).toBe('end completed');
  expect(run.log.kept.filter(({ type }) => type === 'critique.verdict').at(-1)).toMatchObject({
    verdict: { action: 'retry' },
    followed: 'complete',
  });
});

test('a critique costs tokens and money, and no turn', () => {
  const run = after(fresh(judged), reply(1, 'done'), verdict('complete'));
  expect(run.totals).toMatchObject({ turns: 1, usage: { input: 20, output: 10, costUsd: 0.02 } });
});

test('its question and answer never enter the transcript', () => {
  const run = apply(after(fresh(judged), reply(1, 'done')), verdict('complete'), T0);
  expect(JSON.stringify(run.messages)).not.toMatch(/reviewer|confidence/u);
});

test.each([
  ['{"action":"retry","reason":"x","confidence":70}', 'retry'],
  ['Sure! ```json\n{"action":"complete","reason":"ok","confidence":150}\n```', 'complete'],
  ['The task says {"format": "json"}, so: {"action":"replan","reason":"y","confidence":70}', 'replan'],
  ['{"action":"retry","reason":null,"confidence":null}', 'retry'],
  ['{"action":"dance"}', undefined],
  ['no json at all', undefined],
  ['', undefined],
])('readVerdict(%j) is %s', (text, expected) => {
  expect(readVerdict(text)?.action).toBe(expected);
});

test.each([
  ['70', 70],
  ['70.4', 70],
  ['"70%"', 70],
  ['0.7', 70],
  ['1e999', 100],
  ['-3', 0],
  ['null', 50],
  ['"very"', 50],
])('a confidence of %s counts as %d', (said, expected) => {
  expect(readVerdict(`{"action":"retry","reason":"x","confidence":${said}}`)?.confidence).toBe(expected);
});

test('an answer that opens a string and never ends it is read in one pass, since the workflow has no time for more', () => {
  expect(readVerdict(`{"${'\\"'.repeat(250_000)}`)).toBeNull();
});
