import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { HookResult, LeaseInput, LeaseResult } from '../../src/contract/activities.ts';
import { type RunSpec } from '../../src/contract/spec.ts';
import { loopsSchema } from '../../src/contract/terms.ts';
import { apply, type Observation } from '../../src/core/apply.ts';
import { begin } from '../../src/core/begin.ts';
import { decide } from '../../src/core/decide.ts';
import { toolUses } from '../../src/core/replies.ts';
import type { Run } from '../../src/core/run.ts';
import { fresh, planOf, reply, T0, verdict, words } from './builders.ts';

/** What a fake world does next, drawn by chance: enough to lead a run through every branch. */
const choices = fc.array(
  fc.record({
    calls: fc.array(fc.constantFrom('read', 'write', 'bash', 'ask_human', 'nothing'), { maxLength: 4 }),
    stop: fc.constantFrom(undefined, undefined, undefined, 'max_tokens', 'pause_turn', 'refusal', 'odd'),
    chance: fc.nat(9),
  }),
  { minLength: 1, maxLength: 90 },
);

type Choice = { calls: string[]; stop: string | undefined; chance: number };

function observe(run: Run, now: number, choice: Choice): Observation[] {
  const decision = decide(run, now);
  if (choice.chance === 0) return [{ kind: 'cancelled' }];
  switch (decision.kind) {
    case 'think':
      if (decision.purpose === 'summary') return [{ kind: 'summary', result: null }];
      if (decision.purpose === 'plan') return [planOf(run.turn + 1)];
      if (choice.chance === 1) return [{ kind: 'reply_lost', why: 'context', message: 'too long' }];
      return [
        reply(
          run.turn + 1,
          'words',
          choice.calls.map((name) => [name, { question: 'what?' }]),
          choice.stop,
        ),
      ];
    case 'reflect':
      if (decision.on === 'critique')
        return [
          verdict(
            (['continue', 'retry', 'replan', 'complete'] as const)[choice.chance % 4]!,
            'so',
            100 - choice.chance * 10,
          ),
        ];
      return [
        {
          kind: decision.on,
          result: words(
            JSON.stringify({ complete: choice.chance > 5, stuck: true, confidence: choice.chance * 11, reason: 'so' }),
          ),
        },
      ];
    case 'act':
      return decision.calls.map(({ id }) => ({
        kind: 'result',
        callId: id,
        result: { status: 'success', content: 'ok', durationMs: 1_000 },
      }));
    case 'wait':
      return [{ kind: 'woken' }];
    case 'hold':
      return [{ kind: 'held_too_long' }];
    case 'compact':
      return [{ kind: 'compacted', summarised: null }];
    case 'hook':
      return [{ kind: 'hooked', due: decision.due, result: hookResults[choice.chance % 3]! }];
    case 'lease':
      return [{ kind: 'leased', result: lease(choice, decision.input), isLast: decision.input.isLast === true }];
    case 'end':
      return [];
  }
}

const hookResults: readonly HookResult[] = (['ok', 'denied', 'failed'] as const).map((status) => ({
  status,
  context: 'mind the gap',
  reason: 'so',
  durationMs: 1,
}));

function lease({ chance }: Choice, { wanted }: LeaseInput): LeaseResult {
  if (chance < 8) return { status: 'granted', granted: wanted };
  return { status: 'refused', cap: 'day:1', message: 'used up', left: { costUsd: 0, tokens: 0 } };
}

/** Everything that judges a run, each in some of the worlds. */
function judging(count: number): Partial<RunSpec> {
  const hook = { command: 'true', effect: 'read', timeoutMs: 1_000 } as const;
  return {
    planning: count % 2 === 0,
    critique: {
      when: (['never', 'before_complete', 'every_turn', 'after_errors'] as const)[count % 4]!,
      redoMax: 3,
      ...(count % 3 === 0 && { askBelow: 50, tests: ['npm test'] }),
    },
    completionCheck: count % 5 === 0,
    remindAfterTurns: 2,
    reuseReads: true,
    ...(count % 2 === 1 && { loops: loopsSchema.parse({ judgeAfterTurns: 4 }) }),
    ...(count % 7 === 0 && { outputs: [{ name: 'title', schema: {} }] }),
    ...(count % 3 === 1 && { budget: { atCap: 'ask', ledger: 'ledger', caps: [{ key: 'day:1', costUsd: 1 }] } }),
    ...(count % 4 === 1 && {
      hooks: (
        ['before_model', 'after_model', 'before_tool', 'after_tool', 'after_critique', 'before_stop'] as const
      ).map((on) => ({ ...hook, name: on, on })),
    }),
  };
}

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
