import { request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';

export interface WebRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** The only addresses that are connected to; a name is not looked up again. Left out: what the system says. */
  readonly addresses?: readonly string[];
}

/** Makes one GET request: no redirects, no cookies, no connection kept. Whoever gets the answer reads or destroys it. */
export async function request({ url, headers, signal, addresses }: WebRequest): Promise<IncomingMessage> {
  const options: RequestOptions = {
    agent: false,
    signal,
    headers: { ...headers, 'accept-encoding': 'gzip, deflate, br' },
    ...(addresses && { lookup: pinned(addresses) }),
  };
  const start = url.protocol === 'https:' ? requestHttps : requestHttp;
  return await new Promise((resolve, reject) => {
    // Heard to the end: an error after the answer, of which the answer tells too, must not end the worker.
    start(url, options).once('response', resolve).on('error', reject).end();
  });
}

function pinned(addresses: readonly string[]): NonNullable<RequestOptions['lookup']> {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, callback) => {
    const [first] = answers;
    if (first === undefined) return callback(new Error('no address'), '');
    if (options.all === true) return callback(null, answers);
    callback(null, first.address, first.family);
  };
}
