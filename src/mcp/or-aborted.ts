/** The promise, or a rejection with the signal's reason as soon as it fires. */
export async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  // Whatever comes of it after an abort is nobody's concern.
  promise.catch(() => {});
  signal.throwIfAborted();
  let stop = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
