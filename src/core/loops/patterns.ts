import { ALLOWED_REMEMBERED, QUIET_TURNS, REPEATS_AFTER_WARNING, WARNINGS_REMEMBERED } from './thresholds.ts';

/** What is known about patterns that were found before. */
export interface Patterns {
  /** The newest last. */
  readonly warned: readonly Warning[];
  /** Those a person let go on; they are never found again. The newest last. */
  readonly allowed: readonly string[];
}

interface Warning {
  readonly pattern: string;
  /** Turns until the warning is forgotten. */
  readonly turnsLeft: number;
}

export const noPatterns: Patterns = { warned: [], allowed: [] };

export function isAllowed({ allowed }: Patterns, pattern: string): boolean {
  return allowed.includes(pattern);
}

export function isWarned({ warned }: Patterns, pattern: string): boolean {
  return warned.some((warning) => warning.pattern === pattern);
}

/** How often a pattern must be repeated to be found: fewer times once it was warned about. */
export function repeatsNeeded(patterns: Patterns, pattern: string, repeats: number): number {
  return isWarned(patterns, pattern) ? Math.min(repeats, REPEATS_AFTER_WARNING) : repeats;
}

export function withWarning(patterns: Patterns, pattern: string): Patterns {
  const others = withoutWarning(patterns, pattern).warned;
  return { ...patterns, warned: [...others, { pattern, turnsLeft: QUIET_TURNS }].slice(-WARNINGS_REMEMBERED) };
}

export function withoutWarning(patterns: Patterns, pattern: string): Patterns {
  return { ...patterns, warned: patterns.warned.filter((warning) => warning.pattern !== pattern) };
}

export function withAllowed(patterns: Patterns, pattern: string): Patterns {
  const others = patterns.allowed.filter((one) => one !== pattern);
  return { ...withoutWarning(patterns, pattern), allowed: [...others, pattern].slice(-ALLOWED_REMEMBERED) };
}

/** Lets a turn go by, after which old warnings are forgotten. */
export function aged(patterns: Patterns): Patterns {
  const left = patterns.warned.map(({ pattern, turnsLeft }) => ({ pattern, turnsLeft: turnsLeft - 1 }));
  return { ...patterns, warned: left.filter(({ turnsLeft }) => turnsLeft > 0) };
}
