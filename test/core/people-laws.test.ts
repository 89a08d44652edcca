import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RunSpec } from '../../src/contract/spec.ts';
import { apply } from '../../src/core/apply.ts';
import { begin } from '../../src/core/begin.ts';
import { decide } from '../../src/core/decide.ts';
import { answer, pause, resume } from '../../src/core/people/answers.ts';
import { receive } from '../../src/core/people/inbox.ts';
import type { Run } from '../../src/core/run.ts';
import { settleRun } from '../../src/core/settle.ts';
import { jsonBytes } from '../../src/core/sizes.ts';
import { pickUp } from '../../src/workflows/continuation.ts';
import { fresh, T0 } from './builders.ts';
import { choices, judging, observe, type Choice } from './worlds.ts';

/** What people do while a step is performed. */
const meddling = fc.array(
  fc.record({ does: fc.constantFrom('nothing', 'nothing', 'say', 'pause', 'resume', 'answer'), which: fc.nat(9) }),
  { minLength: 1, maxLength: 60 },
);

type Meddling = { does: string; which: number };

const MINUTE = 60_000;

function meddle(run: Run, { does, which }: Meddling, now: number): Run {
  switch (does) {
    case 'say':
      return receive(run, { by: 'ann', text: `and ${now}` }, now);
    case 'pause':
      return pause(run, 'ann', now);
    case 'resume':
      return resume(run, 'ann', now);
    case 'answer':
      return answerOpen(run, which, now);
    default:
      return run;
  }
}

function answerOpen(run: Run, which: number, now: number): Run {
  const open = run.approvals.findLast(({ status }) => status === 'open');
  if (open === undefined) return run;
  const { id, digest, kind, options } = open;
  if (kind === 'approve')
    return answer(run, { id, digest, by: 'ann', decision: which % 2 === 0 ? 'approve' : 'deny' }, now);
  const choice = options[which % Math.max(1, options.length)]?.id;
  return answer(run, { id, digest, by: 'ann', decision: 'answer', text: 'so', ...(choice && { choice }) }, now);
}

interface World {
  readonly drawn: readonly Choice[];
  readonly people: readonly Meddling[];
  readonly spec?: Partial<RunSpec>;
  /** What becomes of the run at the boundary of each step. */
  readonly between?: (run: Run, now: number) => Run;
}

/** Lives through what was drawn, and then on and on in a world of words where nobody is there any more. */
function live({ drawn, people, spec = {}, between = (run) => run }: World): Run {
  const limits = { turns: 12, toolCalls: 20, activeMs: 600_000, tokens: 1_000_000, costUsd: 5, consecutiveErrors: 3 };
  let run = fresh({ ...judging(drawn.length), ...spec, limits });
  const quiet: Choice = { calls: [], stop: undefined, chance: 7 };
  for (let step = 0; step < drawn.length + 150 && run.result === null; step += 1) {
    const now = T0 + step * 2 * MINUTE;
    run = settleRun(run, now);
    run = begin(run, decide(run, now), now);
    const observed = observe(run, now, drawn[step] ?? quiet);
    run = meddle(run, people[step] ?? { does: 'nothing', which: 0 }, now);
    for (const observation of observed) run = apply(run, observation, now + MINUTE);
    run = between(run, now + MINUTE);
  }
  return run;
}

function carried(run: Run, now: number): Run {
  const { spec, messages, ...rest } = run;
  const travelled = JSON.parse(JSON.stringify({ spec, carried: rest })) as { spec: RunSpec; carried: typeof rest };
  return pickUp(travelled, [messages], now);
}

const worlds = fc.record({ drawn: choices, people: meddling });

test('a run that continues as new after every step is the same run', () => {
  fc.assert(
    fc.property(worlds, (world) => {
      expect(live({ ...world, between: carried })).toEqual(live(world));
    }),
    { numRuns: 200 },
  );
});

test('what follows without a step follows at once: settling a second time changes nothing', () => {
  const between = (run: Run, now: number): Run => {
    expect(settleRun(run, now)).toEqual(run);
    return run;
  };
  fc.assert(
    fc.property(worlds, (world) => live({ ...world, between }) !== undefined),
    { numRuns: 200 },
  );
});

test('every run ends, whoever meddled with it, and leaves no question open', () => {
  fc.assert(
    fc.property(worlds, (world) => {
      const run = live(world);
      expect(run.result).not.toBeNull();
      expect(run.approvals.filter(({ status }) => status === 'open')).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test('a run that completes has answered everything that was said to it', () => {
  fc.assert(
    fc.property(worlds, (world) => {
      const run = live(world);
      if (run.result?.outcome.status !== 'completed') return;
      const last = run.messages.findLastIndex(({ role }) => role === 'assistant');
      expect(JSON.stringify(run.messages.slice(last))).not.toContain('ann says');
      expect(run.inbox).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test('a run of 2,000 turns carries less than 8 KB besides its transcript and its events', () => {
  const limits = { turns: 3_000, toolCalls: 9_000, activeMs: 1e12, tokens: 1e12, costUsd: 1e6 };
  const judges: Partial<RunSpec> = { ...judging(1), completionCheck: true, limits };
  let run = fresh(judges);
  const sizes: number[] = [];
  for (let step = 0; run.turn < 2_000; step += 1) {
    const now = T0 + step * 2 * MINUTE;
    run = begin(run, decide(run, now), now);
    for (const observation of observe(run, now, { calls: ['read', 'write'], stop: undefined, chance: 2 }))
      run = apply(run, observation, now);
    const { spec: _spec, messages: _messages, log: _log, ...rest } = run;
    if (run.turn % 100 === 0) sizes.push(jsonBytes(rest));
  }
  expect(Math.max(...sizes)).toBeLessThan(8_192);
});
