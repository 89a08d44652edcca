import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LoopRung } from '../../../src/contract/events.ts';
import { climb, newLadder, type Ladder } from '../../../src/core/loops/ladder.ts';
import { allowPattern, emptyLoopMemory, observeTurn, warned, type LoopFound } from '../../../src/core/loops/observe.ts';
import { call, read, rules, turn } from './turns.ts';

const found = (pattern = 'cycle:a'): LoopFound => ({ detector: 'cycle', pattern, what: 'a call was repeated' });

interface Step {
  readonly turn: number;
  readonly canAsk?: boolean;
  readonly pattern?: string;
}

function rungs(...steps: readonly Step[]): readonly LoopRung[] {
  let ladder = newLadder;
  return steps.map(({ turn, canAsk = true, pattern }) => {
    const climbed = climb(ladder, found(pattern), { turn, canAsk });
    ladder = climbed.ladder;
    return climbed.rung;
  });
}

test.each<[name: string, steps: readonly Step[], expected: readonly LoopRung[]]>([
  ['a loop that goes on', [5, 7, 9, 11, 13].map((turn) => ({ turn })), ['nudge', 'replan', 'ask', 'stop', 'stop']],
  ['nobody can be asked', [5, 7, 9, 11].map((turn) => ({ turn, canAsk: false })), ['nudge', 'replan', 'stop', 'stop']],
  [
    'each time another pattern',
    ['a', 'b', 'c', 'd'].map((pattern, turn) => ({ turn: 5 + turn, pattern })),
    ['nudge', 'replan', 'ask', 'stop'],
  ],
  ['29 quiet turns do not help', [{ turn: 5 }, { turn: 34 }], ['nudge', 'replan']],
  ['30 quiet turns do', [{ turn: 5 }, { turn: 35 }], ['nudge', 'nudge']],
  [
    'quiet is since the last step',
    [{ turn: 5 }, { turn: 20 }, { turn: 40 }, { turn: 60 }],
    ['nudge', 'replan', 'ask', 'stop'],
  ],
  [
    'after a stop there is nothing',
    [5, 6, 7, 8, 100].map((turn) => ({ turn })),
    ['nudge', 'replan', 'ask', 'stop', 'stop'],
  ],
  ['the first find in a long run', [{ turn: 4_000 }, { turn: 4_001 }], ['nudge', 'replan']],
])('%s', (_name, steps, expected) => {
  expect(rungs(...steps)).toEqual(expected);
});

test('what it was climbed for is known, each pattern once', () => {
  let ladder: Ladder = newLadder;
  for (const pattern of ['a', 'b', 'a']) ({ ladder } = climb(ladder, found(pattern), { turn: 5, canAsk: true }));
  expect(ladder.patterns).toEqual(['b', 'a']);
});

test('where a person lets a run go on, the ladder begins at the bottom for other patterns', () => {
  const { rung } = climb(newLadder, found('other'), { turn: 40, canAsk: true });
  expect(rung).toBe('nudge');
});

describe('laws', () => {
  const steps = fc.array(
    fc.record({ quiet: fc.integer({ min: 0, max: 29 }), canAsk: fc.boolean(), pattern: fc.string() }),
    {
      minLength: 4,
      maxLength: 30,
    },
  );

  test('whatever is found again and again, the run is stopped after four steps at most, and never lets go', () => {
    fc.assert(
      fc.property(steps, (drawn) => {
        let turn = 100;
        const climbed = rungs(
          ...drawn.map(({ quiet, canAsk, pattern }) => ({ turn: (turn += quiet), canAsk, pattern })),
        );
        const stopped = climbed.indexOf('stop');
        expect(stopped).toBeGreaterThanOrEqual(2);
        expect(stopped).toBeLessThanOrEqual(3);
        expect(new Set(climbed.slice(stopped))).toEqual(new Set(['stop']));
      }),
      { numRuns: 500 },
    );
  });

  /** A model that hears nothing: it repeats a cycle of calls, and is warned by whatever is found. */
  function stubborn(
    cycle: readonly string[],
    leaveFor: number,
    effect: 'read' | 'unsafe',
  ): { stoppedAt: number; asked: number } {
    let [memory, ladder, asked] = [emptyLoopMemory, newLadder, 0];
    for (let number = 1; number < 400; number += 1) {
      const name = cycle[number % cycle.length]!;
      const observed = observeTurn(memory, turn({ calls: [effect === 'read' ? read(name) : call(name)] }), rules);
      memory = observed.memory;
      if (observed.found === null) continue;
      const climbed = climb(ladder, observed.found, { turn: number, canAsk: true });
      ({ ladder } = climbed);
      memory = warned(memory, observed.found.pattern);
      if (climbed.rung === 'stop') return { stoppedAt: number, asked };
      if (climbed.rung !== 'ask') continue;
      asked += 1;
      if (asked <= leaveFor) [memory, ladder] = [allowPattern(memory, observed.found.pattern), newLadder];
    }
    return { stoppedAt: Infinity, asked };
  }

  const cycles = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 1, maxLength: 5 });

  test('a model that repeats its calls whatever it is told is stopped within 60 turns', () => {
    fc.assert(
      fc.property(cycles, fc.constantFrom('read', 'unsafe'), (cycle, effect) => {
        expect(stubborn(cycle, 0, effect).stoppedAt).toBeLessThanOrEqual(60);
      }),
      { numRuns: 200 },
    );
  });

  test.each([
    ['is not asked again about writes', 'unsafe', { stoppedAt: Infinity, asked: 1 }],
    ['is asked once more about reads, which also stand still', 'read', { stoppedAt: Infinity, asked: 2 }],
  ] as const)('a person who lets a repeated call go on %s', (_name, effect, expected) => {
    expect(stubborn(['a'], 2, effect)).toEqual(expected);
  });
});
