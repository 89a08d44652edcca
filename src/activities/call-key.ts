import type { RunToolInput } from '../contract/activities.ts';

/**
 * Names one start of one call for ever: the same on every retry, and never that of another. The first execution's id is
 * in it, because a run id may be used again once the server's database is gone, and then the old result would be found.
 */
export function keyOf({ chain = '', turn, index, digest, attempt = 1, answers = [] }: RunToolInput): string {
  const place = `t${turn}-c${index}-${digest.slice(7, 19)}`;
  const again = `${attempt > 1 ? `-a${attempt}` : ''}${answers.length > 0 ? `-q${answers.length}` : ''}`;
  return `${chain === '' ? '' : `${chain.slice(0, 8)}-`}${place}${again}`;
}
