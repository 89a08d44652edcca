/** No wait the API asks for is honoured for longer, so that a strange header cannot put a run to sleep. */
const RETRY_AFTER_MS_MAX = 10 * 60_000;

/**
 * Milliseconds the API asks us to wait, or undefined. `retry-after-ms` beats `retry-after`, which holds seconds or
 * a date; what is not positive is no wish at all.
 */
export function retryAfterMs(headers: Headers | undefined, now: number): number | undefined {
  const wish =
    positive(Number(headers?.get('retry-after-ms') ?? Number.NaN)) ?? fromRetryAfter(headers?.get('retry-after'), now);
  return wish === undefined ? undefined : Math.min(Math.ceil(wish), RETRY_AFTER_MS_MAX);
}

function fromRetryAfter(value: string | null | undefined, now: number): number | undefined {
  if (value === null || value === undefined || value.trim() === '') return undefined;
  const seconds = Number(value);
  return positive(Number.isNaN(seconds) ? Date.parse(value) - now : seconds * 1_000);
}

function positive(value: number): number | undefined {
  return value > 0 ? value : undefined;
}
