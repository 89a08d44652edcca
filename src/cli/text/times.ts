/** `0.3 s`, `42 s`, `5 min`, `3 h 12 min`, `2 d 4 h`, from milliseconds. */
export function spanText(ms: number): string {
  if (ms < 9_950) return `${Math.max(0, ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return hours % 24 === 0 ? `${hours / 24} d` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** `2026-11-21 14:02:05 UTC`, from milliseconds since 1970. */
export function timeText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** How long ago a moment was, or how far it is ahead. */
export function relativeText(at: number, now: number): string {
  return at >= now ? `in ${spanText(at - now)}` : `${spanText(now - at)} ago`;
}

/** Time since the start in front of an event: `4.2s`, `1:05`, `2:03:07`. */
export function clockText(ms: number): string {
  const seconds = Math.max(0, ms) / 1_000;
  if (seconds < 60) return `${seconds.toFixed(1)}s`;
  const whole = Math.floor(seconds);
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor((whole % 3_600) / 60)];
  const two = (count: number): string => String(count).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}
