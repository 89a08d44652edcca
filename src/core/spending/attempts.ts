import type { RequestsUsed } from '../../contract/activities.ts';
import type { Usage } from '../../contract/messages.ts';

/** Requests told apart in a heartbeat, which must stay small; what those before them used is one sum. */
const REQUESTS_MAX = 8;

const EARLIER = 'earlier';

/** Adds two usages. Money is known only where it is known of both. */
export function plus(one: Usage, other: Usage): Usage {
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    cacheRead: one.cacheRead + other.cacheRead,
    cacheWrite: one.cacheWrite + other.cacheWrite,
    costUsd: one.costUsd === null || other.costUsd === null ? null : one.costUsd + other.costUsd,
  };
}

/** Adds what there is; undefined when there is nothing. */
export function sumOf(usages: readonly (Usage | undefined)[]): Usage | undefined {
  return usages.reduce((sum, usage) => (sum === undefined || usage === undefined ? (sum ?? usage) : plus(sum, usage)));
}

/** Writes down what a request has used so far, in place of what was known of it. */
export function noteUse(used: RequestsUsed, request: string, usage: Usage): RequestsUsed {
  const next = { ...used, [request]: usage };
  const told = Object.keys(next).filter((name) => name !== EARLIER && name !== request);
  const [oldest] = told;
  if (told.length < REQUESTS_MAX || oldest === undefined) return next;
  const { [oldest]: forgotten, ...kept } = next;
  const earlier = sumOf([kept[EARLIER], forgotten]);
  return earlier === undefined ? kept : { ...kept, [EARLIER]: earlier };
}

/** What all requests used but the one whose reply came; undefined when there were no others. */
export function lostOf(used: RequestsUsed, answered?: string): Usage | undefined {
  const others = Object.entries(used).filter(([request]) => request !== answered);
  return sumOf([undefined, ...others.map(([, usage]) => usage)]);
}

/** What a heartbeat says was used. One of another version, or of another kind of step, says nothing. */
export function usedIn(beat: unknown): RequestsUsed {
  const used = isObject(beat) ? beat['used'] : undefined;
  if (!isObject(used)) return {};
  return Object.fromEntries(Object.entries(used).flatMap(([name, usage]) => (isUsage(usage) ? [[name, usage]] : [])));
}

/** Whether a value that came from outside counts tokens. */
export function isUsage(value: unknown): value is Usage {
  if (!isObject(value)) return false;
  const { input, output, cacheRead, cacheWrite, costUsd } = value;
  return [input, output, cacheRead, cacheWrite, costUsd ?? 0].every(Number.isFinite);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
