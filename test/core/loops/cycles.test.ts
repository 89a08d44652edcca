import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { digestOf } from '../../../src/config/canonical-json.ts';
import { allowPattern, emptyLoopMemory, observeTurn, startAnew, warned } from '../../../src/core/loops/observe.ts';
import { call, rules, turn, watch } from './turns.ts';

const oneByOne = (names: string) => [...names].map((name) => turn({ calls: [call(name)] }));

/** The number of the call with which a cycle is first found, or null. */
const firstFound = (names: string) => watch(oneByOne(names)).found?.at ?? null;

const vectors: [name: string, calls: string, found: number | null][] = [
  ['A', 'A'.repeat(60), 5],
  ['AB', 'AB'.repeat(30), 10],
  ['ABC', 'ABC'.repeat(20), 15],
  ['AAB', 'AAB'.repeat(20), 15],
  ['ABCD', 'ABCD'.repeat(20), 20],
  ['AABB', 'AABB'.repeat(20), 20],
  ['ABCDE', 'ABCDE'.repeat(20), 25],
  ['AAAAB', 'AAAAB'.repeat(20), 25],
  ['ABCDEF, longer than what is looked for', 'ABCDEF'.repeat(20), null],
  ['X, then A', `X${'A'.repeat(10)}`, 6],
  ['four A, X, four A', 'AAAAXAAAA', null],
  ['XYZ, then AB', `XYZ${'AB'.repeat(10)}`, 13],
  ['A, one short', 'AAAA', null],
  ['AB, one short', 'ABABABABA', null],
  ['ABCDE, one short', 'ABCDE'.repeat(5).slice(0, -1), null],
  ['A and B without order', 'ABBABAABBAABABBABAAB', null],
  ['AB broken in the middle', 'ABABABABXABABABAB', null],
];

test.each(vectors)('calls %s are found at call', (_name, calls, found) => {
  expect(firstFound(calls)).toBe(found);
});

test.each(vectors)('calls %s are found when one turn asks for all of them', (_name, calls, found) => {
  const seen = watch([turn({ calls: [...calls].map((name) => call(name)) })]);
  expect(seen.found === null).toBe(found === null);
});

test.each([
  [2, 'A', 2],
  [2, 'ABCDE', 10],
  [3, 'AB', 6],
  [40, 'ABC', 120],
])('with %i repeats wanted, %s is found at call %i', (cycleRepeats, cycle, found) => {
  const seen = watch(oneByOne(cycle.repeat(60)), { loops: { ...rules, cycleRepeats } });
  expect(seen.found?.at).toBe(found);
});

test('any five calls of a cycle are counted as they come, three a turn', () => {
  const turns = Array.from({ length: 10 }, () => turn({ calls: [call('A'), call('B'), call('A')] }));
  // ABA ABA …: at the fifth turn the cycle of three has come five times.
  expect(watch(turns).found).toMatchObject({ at: 5, detector: 'cycle' });
});

test('turns of words alone do not break a cycle', () => {
  const turns = oneByOne('AAAAAA').flatMap((seen) => [seen, turn({ text: 'Let me see.' })]);
  expect(watch(turns).found?.at).toBe(9);
});

test('a failed call counts as one that succeeded', () => {
  const failing = turn({ calls: [call('A', { status: 'error' })] });
  expect(watch(Array.from({ length: 9 }, () => failing)).found).toMatchObject({ at: 5, detector: 'cycle' });
});

test('the digest is over canonical JSON, so the same arguments in another order of keys are the same call', () => {
  const one = digestOf({ tool: 'bash', input: { command: 'ls', timeoutMs: 5 } });
  const other = digestOf({ tool: 'bash', input: { timeoutMs: 5, command: 'ls' } });
  const turns = [one, other, one, other, one].map((digest) => turn({ calls: [call('ls', { digest })] }));
  expect(watch(turns).found?.what).toBe('the call "bash: ls" was repeated 5 times in a row');
});

test('what was seen is said by name', () => {
  expect(watch(oneByOne('ABC'.repeat(5))).found?.what).toBe(
    'the calls "bash: A", "bash: B" and "bash: C" were repeated 5 times in turn',
  );
});

describe('a pattern', () => {
  const pattern = (names: string) => watch(oneByOne(names)).found?.pattern;

  test.each([
    ['ABC'.repeat(5), 'BCA'.repeat(5)],
    ['ABC'.repeat(5), `XX${'CAB'.repeat(5)}`],
    ['AAB'.repeat(5), 'BAA'.repeat(5)],
  ])('%s has the same name as %s', (one, other) => {
    expect(pattern(one)).toBe(pattern(other));
  });

  test.each([
    ['ABC'.repeat(5), 'ACB'.repeat(5)],
    ['A'.repeat(5), 'B'.repeat(5)],
    ['AB'.repeat(5), 'A'.repeat(5)],
  ])('%s has another name than %s', (one, other) => {
    expect(pattern(one)).not.toBe(pattern(other));
  });

  test('is short', () => {
    expect(pattern('ABCDE'.repeat(5))?.length).toBeLessThanOrEqual(40);
  });
});

describe('after a warning', () => {
  const after = (names: string) => {
    const { memory, found } = watch(oneByOne(names));
    return warned(memory, found?.pattern ?? '');
  };

  test.each([
    ['A', 'A', null],
    ['A', 'AA', 2],
    ['A', 'XAXAXAXA', null],
    ['AB', 'ABA', null],
    ['AB', 'ABAB', 4],
    ['AB', 'BABA', 4],
    ['AB', 'XYABAB', 6],
    ['A', 'BBBB', null],
    ['A', 'BBBBB', 5],
  ])('about %s, %s is found at call', (cycle, later, found) => {
    expect(watch(oneByOne(later), { memory: after(cycle.repeat(5)) }).found?.at ?? null).toBe(found);
  });

  test('without a new call nothing is found again', () => {
    const idle = Array.from({ length: 10 }, () => turn({ text: 'Hm.' }));
    expect(watch(idle, { memory: after('AAAAA') }).found).toBeNull();
  });

  test.each([
    [28, 2],
    [30, 5],
  ])('that is %i turns old, it takes %i more calls', (quiet, calls) => {
    const others = Array.from({ length: quiet }, (_, index) => turn({ calls: [call(`other ${index}`)] }));
    const { memory } = watch(others, { memory: after('AAAAA') });
    expect(watch(oneByOne('AAAAAAA'), { memory }).found?.at).toBe(calls);
  });

  test('it goes on being found for as long as nobody is told', () => {
    const { memory } = watch(oneByOne('AAAAA'));
    expect(watch(oneByOne('A'), { memory }).found?.at).toBe(1);
  });
});

describe('after leave to go on', () => {
  const allowed = (names: string) => {
    const { memory, found } = watch(oneByOne(names));
    return allowPattern(memory, found?.pattern ?? '');
  };

  test.each([
    ['A', 'A'.repeat(100), null],
    ['AB', 'AB'.repeat(100), null],
    ['AB', 'BA'.repeat(100), null],
    ['ABCDE', 'CDEAB'.repeat(100), null],
    ['A', 'B'.repeat(10), 5],
    ['A', 'AAB'.repeat(10), 15],
    ['AB', 'A'.repeat(10), 5],
  ])('with %s, %s is found at call', (cycle, later, found) => {
    expect(watch(oneByOne(later), { memory: allowed(cycle.repeat(5)) }).found?.at ?? null).toBe(found);
  });
});

describe('calls declared as repetition', () => {
  const poll = call('poll', { isAllowed: true });

  test('may be repeated for ever', () => {
    expect(watch(Array.from({ length: 500 }, () => turn({ calls: [poll] }))).found).toBeNull();
  });

  test('neither break nor lengthen a cycle of others', () => {
    const turns = [...'AAAAA'].map((name) => turn({ calls: [poll, call(name), poll] }));
    expect(watch(turns).found?.at).toBe(5);
  });
});

test('a person who says "again" makes no loop', () => {
  const { memory } = watch(oneByOne('AAAA'));
  expect(watch(oneByOne('AAAA'), { memory: startAnew(memory) }).found).toBeNull();
});

/** What the public detector does, word for word: the last calls, cut into equal parts. */
function isCycle(names: readonly string[], repeats: number): boolean {
  return [1, 2, 3, 4, 5].some((length) => {
    const latest = names.slice(-length * repeats).join('');
    return latest.length === length * repeats && latest === names.slice(-length).join('').repeat(repeats);
  });
}

test('whatever the calls, the same is found as by comparing the whole window', () => {
  const sequences = fc.array(fc.constantFrom('A', 'B', 'C'), { maxLength: 60 });
  fc.assert(
    fc.property(sequences, fc.integer({ min: 2, max: 5 }), (names, cycleRepeats) => {
      let memory = emptyLoopMemory;
      for (const [index, name] of names.entries()) {
        const seen = observeTurn(memory, turn({ calls: [call(name)] }), { ...rules, cycleRepeats });
        expect(seen.found !== null).toBe(isCycle(names.slice(0, index + 1), cycleRepeats));
        memory = seen.memory;
      }
    }),
    { numRuns: 500 },
  );
});
