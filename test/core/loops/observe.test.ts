import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loopsSchema } from '../../../src/contract/terms.ts';
import {
  allowPattern,
  emptyLoopMemory,
  isPatternAllowed,
  observeTurn,
  startAnew,
  warned,
  type LoopMemory,
  type SeenCall,
  type TurnSeen,
} from '../../../src/core/loops/observe.ts';
import { jsonBytes } from '../../../src/core/sizes.ts';
import { call, drawn, noise, read, rules, turn, watch } from './turns.ts';

test('the rules of these tests are what a spec says that says nothing', () => {
  expect(rules).toEqual(loopsSchema.parse({}));
});

describe('of several that are found, the surest is named:', () => {
  const text = 'I will now look at the very same file once more, because it may have changed. ';

  test.each([
    ['repeated calls before repeated text', turn({ text: text.repeat(20), calls: [read('a')] }), 5, 'cycle'],
    ['repeated text before repeated replies', turn({ text: text.repeat(20) }), 1, 'chanting'],
    ['repeated replies before no progress', turn({ text, calls: [read('a')] }), 5, 'same_replies'],
  ])('%s', (_name, seen, at, detector) => {
    const loops = { ...rules, noProgressTurns: 4, cycleRepeats: detector === 'cycle' ? 5 : 100 };
    const turns = Array.from({ length: at }, () => seen);
    let found;
    let memory = emptyLoopMemory;
    for (const each of turns) ({ found, memory } = observeTurn(memory, each, loops));
    expect(found?.detector).toBe(detector);
  });
});

test('leave for one detector leaves the others awake', () => {
  const same = Array.from({ length: 30 }, () => turn({ calls: [read('a')] }));
  const { memory, found } = watch(same);
  const allowed = allowPattern(memory, found?.pattern ?? '');
  expect(isPatternAllowed(allowed, found?.pattern ?? '')).toBe(true);
  expect(isPatternAllowed(allowed, 'judge')).toBe(false);
  expect(watch(same, { memory: allowed }).found).toMatchObject({ at: 12, detector: 'no_progress' });
});

test('of warnings and leaves the newest are kept', () => {
  const names = Array.from({ length: 50 }, (_, index) => `cycle:${index}`);
  const { warned: kept } = names.reduce(warned, emptyLoopMemory).patterns;
  expect(kept.map(({ pattern }) => pattern)).toEqual(names.slice(-8));
  expect(names.reduce(allowPattern, emptyLoopMemory).patterns.allowed).toEqual(names.slice(-32));
});

test('what was seen is still known after all counts began anew', () => {
  const { memory } = watch([turn({ calls: [read('a'), read('b')] })]);
  const anew = startAnew(memory);
  expect(anew.progress.results).toEqual(memory.progress.results);
  expect(anew.replies.calls).toEqual(memory.replies.calls);
});

test('a memory survives the way through JSON, as every continuation sends it', () => {
  const turns = Array.from({ length: 20 }, (_, index) =>
    turn({ text: noise(index % 2, 80), calls: [read(`f${index % 3}`)] }),
  );
  const straight = watch(turns).found;
  let memory: LoopMemory = emptyLoopMemory;
  let found = null;
  for (const seen of turns) {
    ({ memory, found } = observeTurn(JSON.parse(JSON.stringify(memory)) as LoopMemory, seen, rules));
    if (found !== null) break;
  }
  expect(straight).toMatchObject(found ?? {});
  expect(found).not.toBeNull();
});

test('observing changes nothing in the memory it was given', () => {
  const { memory } = watch([turn({ text: noise(1, 60), calls: [read('a'), call('b')] })]);
  const before = JSON.stringify(memory);
  observeTurn(memory, turn({ text: noise(1, 60), calls: [read('a'), call('c')] }), rules);
  warned(memory, 'x');
  allowPattern(memory, 'x');
  expect(JSON.stringify(memory)).toBe(before);
});

/** Sentences of words that are drawn, so that no two are the same. */
function sentences(seed: number, count: number): string {
  const next = drawn(seed);
  const words = () => Array.from({ length: 6 + next(10) }, () => noise(next(2 ** 31), 2 + next(9)));
  return Array.from({ length: count }, () => `${words().join(' ')}.`).join(' ');
}

/** The numbers below `count` in an order that is drawn. */
function shuffled(count: number, seed: number): readonly number[] {
  const next = drawn(seed);
  return Array.from({ length: count }, (_, index) => ({ index, place: next(2 ** 31) }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ index }) => index);
}

describe('laws', () => {
  test('different calls in any order, however many a turn, are never a loop', () => {
    const turns = fc.record({
      count: fc.integer({ min: 1, max: 120 }),
      aTurn: fc.integer({ min: 1, max: 7 }),
      seed: fc.nat(),
    });
    fc.assert(
      fc.property(turns, ({ count, aTurn, seed }) => {
        const calls = shuffled(count, seed).map((name) => (name % 2 === 0 ? read(`c${name}`) : call(`c${name}`)));
        const groups = Array.from({ length: Math.ceil(count / aTurn) }, (_, at) =>
          calls.slice(at * aTurn, (at + 1) * aTurn),
        );
        return watch(groups.map((group) => turn({ calls: group }))).found === null;
      }),
      { numRuns: 200 },
    );
  });

  test('different calls that are told of in the same words are never a loop', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.nat(), (count, seed) => {
        const text = sentences(seed, 2);
        return watch(shuffled(count, seed).map((name) => turn({ text, calls: [read(`c${name}`)] }))).found === null;
      }),
      { numRuns: 100 },
    );
  });

  test('replies and thoughts of different sentences are never a loop', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), fc.nat(), (count, seed) => {
        const turns = Array.from({ length: count }, (_, at) =>
          turn({ text: sentences(seed + at, 1 + (at % 9)), thinking: sentences(seed - at - 1, 1 + (at % 9)) }),
        );
        return watch(turns).found === null;
      }),
      { numRuns: 100 },
    );
  });

  test.each([1, 2, 3])('a memory stays under 8 KB of JSON over 5,000 turns of anything (%i)', (seed) => {
    const next = drawn(seed);
    let memory = emptyLoopMemory;
    let largest = 0;
    for (let count = 0; count < 5_000; count += 1) {
      const observed = observeTurn(memory, anything(next), rules);
      const { found } = observed;
      memory = observed.memory;
      if (found !== null) memory = next(3) === 0 ? allowPattern(memory, found.pattern) : warned(memory, found.pattern);
      if (count % 5 === 0) largest = Math.max(largest, jsonBytes(memory));
    }
    expect(largest).toBeLessThan(8_000);
    // Full, or this would say nothing about a bound.
    expect(memory.progress.results).toHaveLength(200);
    expect(memory.patterns.allowed).toHaveLength(32);
  });
});

/** Any turn: sometimes new, sometimes old, with summaries as large as JSON can make them. */
function anything(next: (below: number) => number): TurnSeen {
  const text = next(3) === 0 ? noise(next(60), 60).repeat(1 + next(20)) : sentences(next(2 ** 31), next(3));
  const name = next(4) === 0 ? `new ${next(2 ** 31)}` : `old ${next(40)}`;
  const calls: SeenCall[] = Array.from({ length: next(4) * next(3) }, () =>
    call(name, {
      summary: ['\u0001', '汉', '"', '\ud800'][next(4)]!.repeat(200),
      effect: next(2) === 0 ? 'read' : 'unsafe',
      status: next(3) === 0 ? 'error' : 'success',
      resultHash: next(2) === 0 ? next(2 ** 31) : name,
      isAllowed: next(10) === 0,
    }),
  );
  return turn({ text, thinking: next(5) === 0 ? text : '', calls });
}
