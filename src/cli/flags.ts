import { InvalidArgumentError } from 'commander';
import { parseDuration } from '../config/duration.ts';

/** `20s`, `5m`, `24h`; the result is milliseconds. */
export function durationFlag(text: string): number {
  const ms = parseDuration(/^\d+$/u.test(text) ? Number(text) : text);
  if (ms === null) throw new InvalidArgumentError('Expected a duration such as 20s, 5m or 24h.');
  return ms;
}

/** The same, and `0` for never. */
export function durationOrNeverFlag(text: string): number {
  return text === '0' ? 0 : durationFlag(text);
}

export function countFlag(text: string): number {
  const count = Number(text);
  if (/^\d{1,9}$/u.test(text) && count >= 1) return count;
  throw new InvalidArgumentError('Expected a whole number of at least 1.');
}

export function dollarsFlag(text: string): number {
  const dollars = Number(text.replace(/^\$/u, ''));
  if (text.trim() !== '' && Number.isFinite(dollars) && dollars > 0) return dollars;
  throw new InvalidArgumentError('Expected an amount in US dollars above 0.');
}

/** Names or rules with commas between them; the flag may be given several times. */
export function listFlag(text: string, before: readonly string[] = []): readonly string[] {
  const added = text.split(/,(?![^(]*\))/u).map((part) => part.trim());
  return [...before, ...added.filter((part) => part !== '')];
}
