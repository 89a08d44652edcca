/** Environment variables by name, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Marks the processes of one call and of one worker, so that they are found wherever they hide. */
export const CALL_MARKER = 'NIGHTSHIFT_CALL';
export const WORKER_MARKER = 'NIGHTSHIFT_WORKER';

/** What programs need to work at all. Everything else may be a secret, so nothing else is passed on. */
const PASSED_ON = ['PATH', 'HOME', 'LANG', 'TMPDIR', 'USER', 'SHELL'];

/** The environment for processes of a call: an allowlist, not a list of things to hide, which is never complete. */
export function callEnvironment(
  outer: Environment,
  call: { readonly key: string; readonly worker: string },
): Record<string, string> {
  const passed = Object.entries(outer).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (PASSED_ON.includes(entry[0]) || entry[0].startsWith('LC_')),
  );
  return { ...Object.fromEntries(passed), TERM: 'dumb', [CALL_MARKER]: call.key, [WORKER_MARKER]: call.worker };
}
