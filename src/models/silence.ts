/** Listens to one answer and raises `signal` when no byte has come for `idleMs` milliseconds. */
export interface SilenceWatch {
  readonly signal: AbortSignal;
  /** The same response, whose body is listened to from now on. */
  readonly listen: (response: Response) => Response;
  readonly close: () => void;
}

/**
 * The SDK's timeout ends with the headers, so a stream that goes quiet would hang for ever. Bytes are counted and
 * not events, because the SDK drops the pings by which a thinking model shows that it is alive.
 */
export function watchSilence(idleMs: number): SilenceWatch {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const heard = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => controller.abort(), idleMs);
  };
  const listen = (response: Response): Response => {
    if (response.body === null) return response;
    heard();
    const ear = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, stream) {
        heard();
        stream.enqueue(chunk);
      },
    });
    return new Response(response.body.pipeThrough(ear), response);
  };
  return { signal: controller.signal, listen, close: () => clearTimeout(timer) };
}
