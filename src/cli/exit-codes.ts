/** How the command ended, for scripts. The numbers are a promise and never change their meaning. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  unreachable: 3,
  notAllowed: 4,
  notFound: 5,
  conflict: 6,
  doneWithoutSome: 10,
  limit: 11,
  waiting: 12,
  expired: 13,
  cancelled: 14,
  loop: 15,
  gaveUp: 16,
  outputsMissing: 17,
  tooManyErrors: 18,
  timeout: 124,
  detached: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  done: 'done, nothing denied',
  failed: 'the run failed',
  usage: 'wrong usage or configuration',
  unreachable: 'server, Temporal or worker not reachable; trying again makes sense',
  notAllowed: 'not signed in, or not allowed',
  notFound: 'not found',
  conflict: 'conflict: already decided, already ended',
  doneWithoutSome: 'done, but tool calls were denied, expired or of unknown outcome (0 with --allow-denied)',
  limit: 'a limit was reached: turns, tool calls, time, tokens, money or a budget',
  waiting: 'parked: waiting for a person; the run is alive',
  expired: 'an approval expired, and that ended the run',
  cancelled: 'cancelled or terminated, or stopped by a person',
  loop: 'stopped in a loop',
  gaveUp: 'the agent gave up',
  outputsMissing: 'declared outputs are missing',
  tooManyErrors: 'too many errors in a row',
  timeout: '--timeout elapsed; the run goes on',
  detached: 'Ctrl-C, detached; the run goes on',
};

/** What `nightshift help exit-codes` prints. */
export function exitCodeTable(): string {
  const rows = Object.entries(EXIT).map(
    ([name, code]) => `  ${String(code).padStart(3)}  ${MEANINGS[name as keyof typeof EXIT]}`,
  );
  return ['Exit codes', '', ...rows, ''].join('\n');
}
