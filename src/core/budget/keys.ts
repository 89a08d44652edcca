/** Keys of counters that hold for one day, in UTC. */
const DAILY = /^(day|agent:.+):(\d{4}-\d{2}-\d{2})$/su;

/** The day a key holds for; null when it holds for ever. */
export function dayOf(key: string): string | null {
  return DAILY.exec(key)?.[2] ?? null;
}

/** The same key of today, when its day has passed: a run that goes on for days spends from each day's own budget. */
export function keyOn(key: string, today: string): string {
  const day = dayOf(key);
  return day === null || day >= today ? key : `${key.slice(0, -day.length)}${today}`;
}

/** The cap of a spec that a refusal names, which may be of a later day than the spec. */
export function capOf<T extends { readonly key: string }>(caps: readonly T[], key: string): T | undefined {
  const day = dayOf(key);
  return caps.find((cap) => cap.key === key || (day !== null && keyOn(cap.key, day) === key));
}

/** `day 2026-11-21`, `agent auditor on 2026-11-21`, `the tree of run r`. */
export function keyText(key: string): string {
  const day = dayOf(key);
  if (key.startsWith('tree:')) return `the tree of run ${key.slice('tree:'.length)}`;
  if (day === null) return key;
  return key.startsWith('day:') ? `day ${day}` : `agent ${key.slice('agent:'.length, -day.length - 1)} on ${day}`;
}
