/** As the client library takes it. */
type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export interface FetchOptions {
  /** The server's own address. */
  readonly server: URL;
  /** Sent to the server and nowhere else. */
  readonly headers: Readonly<Record<string, string>>;
  /** Of a plain body in all, or of one event of a stream. */
  readonly bytesMax: number;
}

const NEWLINE = 10;
const RETURN = 13;

/**
 * The `fetch` for one server. Its headers go to that server only, because the server names the place where tokens are
 * to be had, and that place need not know them. A body without end is broken off before it fills the worker's memory.
 */
export function serverFetch({ server, headers, bytesMax }: FetchOptions): Fetch {
  return async (url, init) => {
    const isServer = new URL(url).origin === server.origin;
    const response = await fetch(url, isServer ? { ...init, headers: added(init?.headers, headers) } : init);
    if (response.body === null) return response;
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') === true;
    const body = response.body.pipeThrough(limit(bytesMax, isStream));
    const { status, statusText } = response;
    const bounded = new Response(body, { status, statusText, headers: response.headers });
    Object.defineProperty(bounded, 'url', { value: response.url });
    return bounded;
  };
}

/** What the client library sets itself, such as a token, stands above what is configured. */
function added(present: RequestInit['headers'], configured: Readonly<Record<string, string>>): Headers {
  const headers = new Headers(present);
  for (const [name, value] of Object.entries(configured)) {
    if (!headers.has(name)) headers.set(name, value);
  }
  return headers;
}

function limit(bytesMax: number, isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  const count = isStream ? eventBytes() : bodyBytes();
  return new TransformStream({
    transform(chunk, controller) {
      if (count(chunk) <= bytesMax) controller.enqueue(chunk);
      else controller.error(new Error(`Cannot read the answer: it is larger than ${bytesMax} bytes`));
    },
  });
}

/** Takes the next chunk, and gives the most bytes that what is being read has had by then. */
type Count = (chunk: Uint8Array) => number;

function bodyBytes(): Count {
  let bytes = 0;
  return (chunk) => (bytes += chunk.byteLength);
}

/** An event has as many lines as it likes, which are kept until it ends with an empty one. */
function eventBytes(): Count {
  let bytes = 0;
  let isLineEmpty = true;
  return (chunk) => {
    let most = 0;
    for (const byte of chunk) {
      bytes += 1;
      most = Math.max(most, bytes);
      if (byte === NEWLINE && isLineEmpty) bytes = 0;
      if (byte !== RETURN) isLineEmpty = byte === NEWLINE;
    }
    return most;
  };
}
