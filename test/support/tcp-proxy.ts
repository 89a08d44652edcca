import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A way to a server that can be cut, so that one side has an outage while the server and everybody else have none. */
export interface TcpProxy {
  /** `host:port`, in place of the server's. */
  readonly address: string;
  /** Drops every connection, and each new one at once, until it is mended. */
  readonly cut: () => void;
  readonly mend: () => void;
  readonly close: () => Promise<void>;
}

export async function openTcpProxy(target: string): Promise<TcpProxy> {
  const [host = '', port = ''] = target.split(':');
  const open = new Set<Socket>();
  let isCut = false;
  const drop = (): void => {
    for (const socket of open) socket.destroy();
    open.clear();
  };
  const server = createServer((near) => {
    if (isCut) return void near.destroy();
    const far = connect(Number(port), host);
    for (const socket of [near, far]) {
      open.add(socket);
      socket.setNoDelay(true);
      // Half of a broken connection is of use to nobody.
      socket.on('error', () => undefined).on('close', () => [near, far].forEach((one) => one.destroy()));
    }
    near.pipe(far).pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut() {
      isCut = true;
      drop();
    },
    mend() {
      isCut = false;
    },
    async close() {
      drop();
      server.close();
      await once(server, 'close');
    },
  };
}
