import type { StopCause } from '../contract/run.ts';
import type { Run } from './run.ts';
import { tokensOf } from './spending/spending.ts';

export interface LimitReached {
  readonly cause: StopCause;
  readonly message: string;
}

/** The first limit of the run that is used up, checked before every step so that nothing spends past it. */
export function exceededLimit(run: Run): LimitReached | undefined {
  const { limits } = run.spec;
  const { raised } = run.budget;
  const [tokens, costUsd] = [limits.tokens + raised.tokens, limits.costUsd + raised.costUsd];
  const { turns, toolCalls, activeMs, usage } = run.totals;
  const checks: readonly [StopCause, number, number, string][] = [
    ['turns', turns, limits.turns, `${limits.turns} turns`],
    ['tool_calls', toolCalls, limits.toolCalls, `${limits.toolCalls} tool calls`],
    ['active_time', activeMs, limits.activeMs, `${Math.round(limits.activeMs / 1_000)} s of active time`],
    ['tokens', tokensOf(usage), tokens, `${tokens} tokens`],
    ['cost', usage.costUsd ?? 0, costUsd, `$${costUsd}`],
  ];
  const hit = checks.find(([, used, limit]) => used >= limit);
  return hit && { cause: hit[0], message: `The run's limit of ${hit[3]} is reached` };
}
