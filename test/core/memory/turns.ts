import type { Run } from '../../../src/core/run.ts';
import { after, reply, result, started } from '../builders.ts';

/** Limits that nothing here reaches. */
export const limits = { turns: 9_999, toolCalls: 9_999, activeMs: 1e9, tokens: 1e9, costUsd: 1e6 };

/** A turn that reads, as the model takes it when its prompt has so many tokens. */
export function turn(run: Run, promptTokens: number, bytes = 100): Run {
  const number = run.turn + 1;
  const asked = reply(number, `step ${number}`, [['read', { path: `f${number}` }]]);
  if (asked.kind !== 'reply') throw new Error('unreachable');
  const usage = { ...asked.result.usage, input: promptTokens };
  const id = `c${number}-0`;
  return after(run, { ...asked, result: { ...asked.result, usage } }, started(id), result(id, 'x'.repeat(bytes)));
}

/** The terms of compaction that runs of this version are given, but that a rule writes the summary. */
export const terms = { windowShare: 0.6, keptShare: 0.6, by: 'rule', regrowthShare: 0.1 } as const;
