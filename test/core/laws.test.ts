import fc from 'fast-check';
import { expect, test } from 'vitest';
import { apply } from '../../src/core/apply.ts';
import { begin } from '../../src/core/begin.ts';
import { decide } from '../../src/core/decide.ts';
import { toolUses } from '../../src/core/replies.ts';
import type { Run } from '../../src/core/run.ts';
import { fresh, T0 } from './builders.ts';
import { choices, judging, observe, type Choice } from './worlds.ts';

function live(drawn: readonly Choice[]): Run {
  const limits = { turns: 12, toolCalls: 20, activeMs: 60_000, tokens: 1_000_000, costUsd: 5, consecutiveErrors: 3 };
  let run = fresh({ ...judging(drawn.length), limits });
  for (const [index, choice] of drawn.entries()) {
    const now = T0 + index * 120_000;
    run = begin(run, decide(run, now), now);
    for (const observation of observe(run, now, choice)) run = apply(run, observation, now);
  }
  return run;
}

test('no path spends past a limit', () => {
  fc.assert(
    fc.property(choices, (drawn) => {
      const { totals } = live(drawn);
      return totals.turns <= 12 && totals.toolCalls <= 20;
    }),
    { numRuns: 500 },
  );
});

test('every call in the transcript has exactly one result, in the message after it', () => {
  fc.assert(
    fc.property(choices, (drawn) => {
      const run = live(drawn);
      for (const [index, message] of run.messages.entries()) {
        if (message.role !== 'assistant' || toolUses(message).length === 0) continue;
        const next = run.messages[index + 1];
        if (next === undefined && run.calls.length > 0) continue;
        const results = (next?.content ?? []).flatMap((block) =>
          block.type === 'tool_result' ? [block.tool_use_id] : [],
        );
        if (run.result?.outcome.status === 'stopped' && next === undefined) continue;
        expect(results).toEqual(toolUses(message).map(({ id }) => id));
      }
    }),
    { numRuns: 500 },
  );
});

test('every approval has one end, and what ran was allowed or approved', () => {
  fc.assert(
    fc.property(choices, (drawn) => {
      const run = live(drawn);
      const started = run.log.kept.flatMap((event) => (event.type === 'tool.started' ? [event.tool] : []));
      // Nobody answers in this world, so nothing that needs leave may ever start.
      return (
        !started.includes('bash') &&
        run.approvals.every(({ status }) => status !== 'approved' && (run.result === null || status !== 'open'))
      );
    }),
    { numRuns: 500 },
  );
});

test('an ended run stays as it ended, whatever comes late', () => {
  fc.assert(
    fc.property(choices, (drawn) => {
      const run = live(drawn);
      if (run.result === null) return true;
      const later = apply(run, { kind: 'woken' }, T0 * 2);
      const decision = decide(later, T0 * 2);
      const isOver = decision.kind === 'end' || (decision.kind === 'lease' && decision.input.isLast === true);
      return later.result === run.result && isOver;
    }),
    { numRuns: 200 },
  );
});

test('every run ends, whoever judges it and however often it is sent back', () => {
  const choice: Choice = { calls: [], stop: undefined, chance: 2 };
  fc.assert(
    fc.property(
      fc.nat(200),
      fc.constantFrom([], ['read'], ['nothing']),
      fc.constantFrom(2, 3, 5, 6),
      (count, calls, chance) => {
        const drawn = Array.from({ length: 200 - (count % 13) }, () => ({ ...choice, calls: [...calls], chance }));
        expect(live(drawn).result).not.toBeNull();
      },
    ),
    { numRuns: 60 },
  );
});
