/* oxlint-disable no-restricted-globals -- Formatting a time that was given is pure; reading the clock is not done. */

/** `2026-11-21 14:02:05 UTC`, from milliseconds since 1970. */
export function timeText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** `20 s`, `5 min`, `3 h 12 min` or `2 d 4 h`, from milliseconds. */
export function spanText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  const days = Math.floor(hours / 24);
  return hours % 24 === 0 ? `${days} d` : `${days} d ${hours % 24} h`;
}
