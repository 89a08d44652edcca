import { expect, test } from 'vitest';
import { type RunSpec } from '../../../src/contract/spec.ts';
import { loopsSchema, type Loops } from '../../../src/contract/terms.ts';
import type { Observation } from '../../../src/core/apply.ts';
import { decide } from '../../../src/core/decide.ts';
import { detailsOf } from '../../../src/core/view.ts';
import { answer } from '../../../src/core/people/answers.ts';
import type { Run } from '../../../src/core/run.ts';
import { after, fresh, next, planOf, reply, result, started, T0, verdict, words } from '../builders.ts';

type Steps = readonly (Observation | ((run: Run) => Run))[];

const limits = { turns: 999, toolCalls: 999, activeMs: 1e9, tokens: 1e9, costUsd: 1e6 };

function watched(changes: Partial<Loops> = {}, spec: Partial<RunSpec> = {}): Run {
  return fresh({ loops: { ...loopsSchema.parse({}), ...changes }, limits, ...spec });
}

/** One turn of one call, whose digest is its name and which finds something new each time. */
function called(turn: number, name: string): Steps {
  const asked = reply(turn, '', [['read', { name }]]);
  if (asked.kind !== 'reply') throw new Error('unreachable');
  const calls = asked.result.calls.map((call) => ({ ...call, digest: `sha256:${name}`, summary: `read ${name}` }));
  return [
    { ...asked, result: { ...asked.result, calls } },
    started(`c${turn}-0`),
    result(`c${turn}-0`, `found ${turn}`),
  ];
}

function repeated(run: Run, name: string, times: number): Run {
  let next = run;
  for (let time = 0; time < times; time += 1) {
    if (decide(next, T0).kind === 'think' && !next.planned) next = after(next, planOf(0));
    next = after(next, ...called(next.turn + 1, name));
  }
  return next;
}

function rungs(run: Run): readonly string[] {
  return run.log.kept.flatMap((event) => (event.type === 'loop.detected' ? [event.rung] : []));
}

test('the fifth repeat is nudged, the next two plan anew, and the next two ask a person', () => {
  expect(rungs(repeated(watched(), 'a', 4))).toEqual([]);
  expect(rungs(repeated(watched(), 'a', 5))).toEqual(['nudge']);
  expect(rungs(repeated(watched(), 'a', 7))).toEqual(['nudge', 'replan']);
  const asked = repeated(watched(), 'a', 9);
  expect(rungs(asked)).toEqual(['nudge', 'replan', 'ask']);
  expect(next(asked)).toBe('wait');
  expect(asked.approvals.at(-1)).toMatchObject({ about: 'loop', kind: 'choose', fallback: 'stop' });
});

test('the nudge says what was seen', () => {
  const block = repeated(watched(), 'a', 5).messages.at(-1)?.content[0];
  expect(block?.type === 'text' && block.text).toMatch(/You seem to go round in circles: .*read a.* 5 times/u);
});

test.each([
  ['continue', 'think turn'],
  ['redirect', 'think turn'],
  ['stop', 'think summary'],
])('a person who is asked about a loop says %s', (choice, expected) => {
  const asked = repeated(watched(), 'a', 9);
  const { id } = asked.approvals.at(-1)!;
  const decided = after(answer(asked, { id, decision: 'answer', choice, by: 'ann', text: 'try b' }, T0), {
    kind: 'woken',
  });
  expect(next(decided)).toBe(expected);
  const again = choice === 'stop' ? decided : repeated(decided, 'a', 30);
  expect(rungs(again).slice(3)).toEqual(choice === 'redirect' ? ['nudge', 'replan', 'ask'] : []);
});

test('a pattern that a person let go on does not hide another one', () => {
  const asked = repeated(watched(), 'a', 9);
  const { id } = asked.approvals.at(-1)!;
  const decided = after(answer(asked, { id, decision: 'answer', choice: 'continue', by: 'ann' }, T0), {
    kind: 'woken',
  });
  expect(rungs(repeated(repeated(decided, 'a', 20), 'b', 5)).slice(3)).toEqual(['nudge']);
});

test.each([
  ['in an unattended run nobody is asked', { policy: { allow: [], ask: [], deny: [], mode: 'unattended' } }],
] as const)('%s, and it stops with a reason of its own', (_name, spec) => {
  const run = repeated(watched({}, spec as unknown as Partial<RunSpec>), 'a', 9);
  expect(rungs(run)).toEqual(['nudge', 'replan', 'stop']);
  expect(run.ending).toMatchObject({ status: 'stopped', reason: 'loop' });
});

test('what is declared may be repeated as often as the agent likes', () => {
  expect(rungs(repeated(watched({ allow: ['read'] }), 'a', 40))).toEqual([]);
  expect(rungs(repeated(watched({ allow: ['write'] }), 'a', 40))).not.toEqual([]);
});

test('without the setting nothing looks for loops', () => {
  expect(rungs(repeated(fresh({ limits }), 'a', 40))).toEqual([]);
});

const stuck = (confidence: number): CallResult =>
  words(JSON.stringify({ stuck: true, confidence, reason: 'it reads a' }));
type CallResult = ReturnType<typeof words>;

const judging = watched({ judgeAfterTurns: 3 });
const distinct = [1, 2, 3].reduce((run, turn) => after(run, ...called(turn, `f${turn}`)), judging);

test.each([
  ['after the turns the spec names a model judges', distinct, 'reflect loop'],
  ['one that is not sure changes nothing', after(distinct, { kind: 'loop', result: stuck(89) }), 'think turn'],
  [
    'one that is sure is confirmed by another',
    after(distinct, { kind: 'loop', result: stuck(90) }),
    'reflect loop_confirm',
  ],
  [
    'who does not agree',
    after(distinct, { kind: 'loop', result: stuck(95) }, { kind: 'loop_confirm', result: stuck(89) }),
    'think turn',
  ],
  ['one that cannot be had changes nothing', after(distinct, { kind: 'loop', result: null }), 'think turn'],
] as const)('%s', (_name, run, expected) => {
  expect(next(run)).toBe(expected);
});

test('when both agree the ladder is climbed', () => {
  const run = after(distinct, { kind: 'loop', result: stuck(95) }, { kind: 'loop_confirm', result: stuck(90) });
  expect(run.log.kept.at(-1)).toMatchObject({
    type: 'loop.detected',
    detector: 'judge',
    rung: 'nudge',
    what: 'it reads a',
  });
});

test('the details that the Temporal UI shows say what judged the run', () => {
  expect(detailsOf(repeated(watched(), 'a', 5))).toContain('loop: nudge');
  expect(detailsOf(fresh({ loops: loopsSchema.parse({}) }))).not.toMatch(/loop:|critique:|outputs|compacted/u);
});

test('a turn with calls is looked at once: two turns with the same words and the same new call are no loop', () => {
  const words = 'I look at the next part of the very same file, as I did in the turn before this one.';
  const saying = (turn: number): Steps => {
    const [asked, ...rest] = called(turn, 'same');
    if (typeof asked !== 'object' || asked.kind !== 'reply') throw new Error('unreachable');
    const content = [{ type: 'text', text: words } as const, ...asked.result.message.content];
    return [{ ...asked, result: { ...asked.result, message: { role: 'assistant', content } } }, ...rest];
  };
  const run = [1, 2].reduce((next, turn) => after(next, ...saying(turn)), watched({ sameReplies: 3 }));
  expect(rungs(run)).toEqual([]);
});

test('a run whose every turn is critiqued is judged for loops all the same', () => {
  const both = watched({ judgeAfterTurns: 3 }, { critique: { when: ['every_turn'], redoMax: 3 } });
  const run = [1, 2, 3].reduce((one, turn) => after(one, ...called(turn, `f${turn}`), verdict('continue')), both);
  expect(next(run)).toBe('reflect loop');
  expect(next(after(run, { kind: 'loop', result: stuck(10) }))).toBe('think turn');
});

test('no model is paid to judge what a person let go on for good', () => {
  const agreed: Steps = [
    { kind: 'loop', result: stuck(95) },
    { kind: 'loop_confirm', result: stuck(95) },
  ];
  let run = distinct;
  for (let turn = 4; decide(run, T0).kind !== 'wait'; turn += 1) {
    if (next(run) === 'reflect loop') run = after(run, ...agreed);
    else run = after(run, ...(run.planned ? called(turn, `f${turn}`) : [planOf(0)]));
  }
  const { id } = run.approvals.at(-1)!;
  const allowed = answer(run, { id, decision: 'answer', choice: 'continue', by: 'ann' }, T0);
  let later = after(allowed, { kind: 'woken' });
  for (let turn = 100; turn < 140; turn += 1) {
    later = after(later, ...called(turn, `g${turn}`));
    expect(next(later)).toBe('think turn');
  }
});
