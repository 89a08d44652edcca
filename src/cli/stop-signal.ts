/**
 * Fires when the process is asked to end, by Ctrl-C, by a closing terminal or by `kill`. A second request ends it at
 * once: whatever is open is durable.
 */
export function onStopRequest(): AbortSignal {
  const asked = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (asked.signal.aborted && name === 'SIGINT') process.exit(130);
      asked.abort();
    });
  }
  return asked.signal;
}
