import type { Health } from '../../client.ts';
import { shortLine } from '../text/visible.ts';

/** What the watchdog has said and not taken back. */
export type Told = ReadonlySet<string>;

export interface HealthNews {
  readonly told: Told;
  readonly lines: readonly string[];
}

/** Says each trouble once while it lasts, and once when it is over. */
export function healthNews(told: Told, health: Health): HealthNews {
  const troubles = new Map<string, string>();
  for (const { runId, attempts, error } of health.stuck) {
    const words = `${runId} is stuck: its workflow task failed ${attempts} times, last with: ${shortLine(error, 300)}`;
    troubles.set(`run ${runId}`, words);
  }
  for (const { taskQueue, runs } of health.unpolled) {
    const count = runs === 1 ? '1 open run waits' : `${runs} open runs wait`;
    troubles.set(`queue ${taskQueue}`, `No worker polls the queue "${shortLine(taskQueue, 100)}": ${count} on it`);
  }
  const fresh = [...troubles].filter(([key]) => !told.has(key)).map(([, words]) => words);
  const over = [...told]
    .filter((key) => !troubles.has(key))
    .map((key) => `${shortLine(key, 200)}: the trouble is over`);
  return { told: new Set(troubles.keys()), lines: [...fresh, ...over] };
}
