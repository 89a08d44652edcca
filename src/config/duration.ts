import * as z from 'zod';

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

const EXPECTED = 'expected a duration such as "20s", "5m" or "24h", or milliseconds';

/** Longer than any run may take, and short enough for every timer: a hundred years. */
const DURATION_MS_MAX = 100 * 365 * 86_400_000;

/** `20s`, `5m`, `24h`, `2d`, `500ms`, or milliseconds as a number. Null when it is none of these. */
export function parseDuration(value: string | number): number | null {
  const match = /^(\d{1,15}(?:\.\d{1,3})?)(ms|s|m|h|d)$/.exec(String(value).trim());
  const ms =
    typeof value === 'number' ? value : Math.round(Number(match?.[1]) * (UNITS_MS[match?.[2] ?? ''] ?? Number.NaN));
  return Number.isSafeInteger(ms) && ms >= 1 && ms <= DURATION_MS_MAX ? ms : null;
}

/** A duration in a settings file; the result is milliseconds. */
export const durationSchema = z.union([z.string(), z.number()], EXPECTED).transform((value, context) => {
  const ms = parseDuration(value);
  if (ms !== null) return ms;
  context.addIssue({ code: 'custom', message: EXPECTED });
  return z.NEVER;
});
