import fc from 'fast-check';
import type { HookResult, LeaseInput, LeaseResult } from '../../src/contract/activities.ts';
import { type RunSpec } from '../../src/contract/spec.ts';
import { loopsSchema } from '../../src/contract/terms.ts';
import type { Observation } from '../../src/core/apply.ts';
import { decide } from '../../src/core/decide.ts';
import type { Run } from '../../src/core/run.ts';
import { planOf, reply, verdict, words } from './builders.ts';

/** What a fake world does next, drawn by chance: enough to lead a run through every branch. */
export const choices = fc.array(
  fc.record({
    calls: fc.array(fc.constantFrom('read', 'write', 'bash', 'ask_human', 'nothing'), { maxLength: 4 }),
    stop: fc.constantFrom(undefined, undefined, undefined, 'max_tokens', 'pause_turn', 'refusal', 'odd'),
    chance: fc.nat(9),
  }),
  { minLength: 1, maxLength: 90 },
);

export type Choice = { calls: string[]; stop: string | undefined; chance: number };

/** What a world answers to the step that the run takes next. */
export function observe(run: Run, now: number, choice: Choice): Observation[] {
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
export function judging(count: number): Partial<RunSpec> {
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
