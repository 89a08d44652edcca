import { dayOf } from './keys.ts';
import { COUNTERS_MAX, HOLDERS_MAX, type Counter, type Holder, type Ledger } from './ledger-state.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** After this long nobody comes back: a run may be paused for 30 days, and a tree ends with its root. */
const IDLE_MS_MAX = 31 * DAY_MS;

export interface Moment {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The day of `now` in UTC, such as `2026-11-21`. */
  readonly today: string;
}

/**
 * Forgets what nobody will ask for, once an hour or when there is too much: past days a day after they were last asked,
 * runs that handed everything back a day ago, and what was idle for a month. Counters of today are never forgotten.
 */
export function prune(ledger: Ledger, moment: Moment): Ledger {
  const { counters, holders, prunedAt } = ledger;
  const isCrowded = Object.keys(counters).length >= COUNTERS_MAX || Object.keys(holders).length >= HOLDERS_MAX;
  if (!isCrowded && moment.now - prunedAt < HOUR_MS) return ledger;
  return {
    counters: kept(counters, {
      isDue: ([key, counter]) => isCounterDue(key, counter, moment),
      canGo: ([key]) => dayOf(key) === null,
      max: COUNTERS_MAX,
    }),
    holders: kept(holders, { isDue: ([, holder]) => isHolderDue(holder, moment), canGo: () => true, max: HOLDERS_MAX }),
    prunedAt: moment.now,
  };
}

function isCounterDue(key: string, { at }: Counter, { now, today }: Moment): boolean {
  const day = dayOf(key);
  return now - at > (day !== null && day < today ? DAY_MS : IDLE_MS_MAX);
}

function isHolderDue({ at, isOpen }: Holder, { now }: Moment): boolean {
  return now - at > (isOpen ? IDLE_MS_MAX : DAY_MS);
}

interface Rule<T> {
  readonly isDue: (entry: readonly [string, T]) => boolean;
  /** Whether it may go before it is due, because there is too much. */
  readonly canGo: (entry: readonly [string, T]) => boolean;
  readonly max: number;
}

/** Where there is still too much, the longest idle go, down to nine tenths so that the next one is not near. */
function kept<T extends { readonly at: number; readonly isOpen?: boolean }>(
  table: Readonly<Record<string, T>>,
  { isDue, canGo, max }: Rule<T>,
): Readonly<Record<string, T>> {
  const entries = Object.entries(table).filter((entry) => !isDue(entry));
  if (entries.length < max) return Object.fromEntries(entries);
  const surplus = entries.length - Math.floor(max * 0.9);
  const idlest = entries.filter(canGo).toSorted(([, a], [, b]) => rank(a) - rank(b) || a.at - b.at);
  const gone = new Set(idlest.slice(0, surplus).map(([key]) => key));
  return Object.fromEntries(entries.filter(([key]) => !gone.has(key)));
}

/** Runs that handed everything back go before those that may come back. */
function rank({ isOpen }: { readonly isOpen?: boolean }): number {
  return isOpen === false ? 0 : 1;
}
