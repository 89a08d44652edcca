import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isJudgeDue,
  judged,
  LOOP_QUESTION,
  LOOP_SCHEMA,
  newJudgeSchedule,
  readLoopJudgement,
} from '../../../src/core/loops/judge.ts';

/** The turns in which a model is asked, when it always answers so. */
function judgedTurns(confidence: number | null, turns: number, after = 30): readonly number[] {
  const asked: number[] = [];
  let schedule = newJudgeSchedule;
  for (let turn = 1; turn <= turns; turn += 1) {
    if (!isJudgeDue(schedule, turn, after)) continue;
    asked.push(turn);
    schedule = judged(schedule, { turn, confidence });
  }
  return asked;
}

test.each([
  ['whose answer cannot be had is asked every 10 turns', null, [30, 40, 50, 60]],
  ['that is sure of a loop is asked every 5', 1, [30, 35, 40, 45, 50, 55, 60]],
  ['that is sure of the contrary is asked every 15', 0, [30, 45, 60]],
  ['that is of two minds is asked every 10', 0.5, [30, 40, 50, 60]],
  ['that is nearly sure is asked every 6', 0.9, [30, 36, 42, 48, 54, 60]],
  ['that says more than all counts as sure', 7, [30, 35, 40, 45, 50, 55, 60]],
  ['that says less than nothing counts as sure of the contrary', -1, [30, 45, 60]],
])('a judge %s', (_name, confidence, turns) => {
  expect(judgedTurns(confidence, 60)).toEqual(turns);
});

test('the first turn is of the spec', () => {
  expect(judgedTurns(0.5, 30, 8)).toEqual([8, 18, 28]);
});

test('a turn that was missed is made up for', () => {
  expect(isJudgeDue(newJudgeSchedule, 33, 30)).toBe(true);
  expect(isJudgeDue(judged(newJudgeSchedule, { turn: 33, confidence: 0.5 }), 44, 30)).toBe(true);
});

test('an interval that was moved stays where an answer is missing', () => {
  const moved = judged(newJudgeSchedule, { turn: 30, confidence: 1 });
  expect(judged(moved, { turn: 35, confidence: null })).toEqual({ turn: 35, interval: 5 });
});

describe('a judgement is read from', () => {
  test.each<[name: string, text: string, confidence: number, reason: string]>([
    ['JSON', '{"stuck": true, "confidence": 90, "reason": "it repeats ls"}', 0.9, 'it repeats ls'],
    ['JSON in a fence', '```json\n{"stuck": true, "confidence": 95, "reason": "x"}\n```', 0.95, 'x'],
    ['JSON in prose', 'I think {so}: {"stuck": true, "confidence": 80, "reason": "x"} is {right}.', 0.8, 'x'],
    ['JSON in JSON', '{"answer": {"a": 1}} {"stuck": true, "confidence": 80, "reason": "x"}', 0.8, 'x'],
    [
      'JSON with braces in its words',
      '{"reason": "calls } and { \\"x\\"", "stuck": true, "confidence": 80}',
      0.8,
      'calls } and { "x"',
    ],
    [
      'the first of two',
      '{"stuck": true, "confidence": 10, "reason": "a"} {"stuck": true, "confidence": 99, "reason": "b"}',
      0.1,
      'a',
    ],
    ['a number in words', '{"stuck": true, "confidence": "95%", "reason": "x"}', 0.95, 'x'],
    ['a share', '{"stuck": true, "confidence": 0.95, "reason": "x"}', 0.95, 'x'],
    ['too much', '{"stuck": true, "confidence": 400, "reason": "x"}', 1, 'x'],
    ['too little', '{"stuck": true, "confidence": -4, "reason": "x"}', 0, 'x'],
    ['no reason', '{"stuck": true, "confidence": 50}', 0.5, ''],
    ['a reason of several lines', '{"stuck": true, "confidence": 50, "reason": "a\\n b"}', 0.5, 'a b'],
    ['no word whether it is stuck', '{"confidence": 91, "reason": "x"}', 0.91, 'x'],
    ['not stuck, as it was asked', '{"stuck": false, "confidence": 10, "reason": "x"}', 0.1, 'x'],
    [
      'long prose before it',
      `${'so {it} goes. '.repeat(5)}${'x'.repeat(60_000)}{"stuck": true, "confidence": 60}`,
      0.6,
      '',
    ],
  ])('%s', (_name, text, confidence, reason) => {
    expect(readLoopJudgement(text)).toEqual({ confidence, reason });
  });

  test('"not stuck" and very sure of that, which was not asked but is often said', () => {
    expect(readLoopJudgement('{"stuck": false, "confidence": 95, "reason": "x"}')?.confidence).toBeCloseTo(0.05, 10);
  });

  test.each([
    ['nothing', ''],
    ['prose', 'The agent is stuck, I am 95 % sure.'],
    ['half an object', '{"stuck": true, "confidence": 9'],
    ['an object without a confidence', '{"stuck": true}'],
    ['a confidence that is no number', '{"stuck": true, "confidence": "high"}'],
    ['a confidence that is null', '{"stuck": true, "confidence": null}'],
    ['an array', '[1, 2, 3]'],
    ['nothing but braces', '{'.repeat(50_000)],
    ['nothing but quotes', '{"'.repeat(50_000)],
  ])('not from %s', (_name, text) => {
    expect(readLoopJudgement(text)).toBeNull();
  });

  test('anything without throwing, and only as a share', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '"',
      '\\',
      ':',
      ',',
      '"confidence"',
      '"stuck"',
      'true',
      '95',
      '1e999',
      '-0',
      ' ',
      'x',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.array(pieces).map((parts) => parts.join('')),
        ),
        (text) => {
          const confidence = readLoopJudgement(text)?.confidence ?? 0;
          return confidence >= 0 && confidence <= 1;
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test('a reason of any length, cut', () => {
    const reason = 'x'.repeat(5_000);
    expect(readLoopJudgement(JSON.stringify({ stuck: true, confidence: 50, reason }))?.reason).toHaveLength(500);
  });
});

test('the question asks for what the schema demands and the reader reads', () => {
  for (const name of LOOP_SCHEMA['required'] as readonly string[]) expect(LOOP_QUESTION).toContain(`"${name}"`);
  expect(Object.keys(LOOP_SCHEMA['properties'] as object)).toEqual(LOOP_SCHEMA['required']);
});
