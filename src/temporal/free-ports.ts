import { createServer } from 'node:net';

export interface ServerPorts {
  readonly grpc: number;
  readonly ui: number;
}

/** The ports people know from Temporal's own documentation. */
const USUAL_PORTS: ServerPorts = { grpc: 7233, ui: 8233 };

export const LOOPBACK = '127.0.0.1';

/** The usual ports when both are free now, two others otherwise. Somebody may still be faster: starting tells. */
export async function choosePorts(wanted: ServerPorts = USUAL_PORTS): Promise<ServerPorts> {
  const free = await Promise.all([isFree(wanted.grpc), isFree(wanted.ui)]);
  return free.every(Boolean) ? wanted : await randomPorts();
}

/** Two different ports that nobody listens on. Both are held at the same time, or the system may give one twice. */
export async function randomPorts(): Promise<ServerPorts> {
  const [grpc, ui] = await Promise.all([listen(0), listen(0)]);
  await Promise.all([grpc.close(), ui.close()]);
  return { grpc: grpc.port, ui: ui.port };
}

async function isFree(port: number): Promise<boolean> {
  try {
    await (await listen(port)).close();
    return true;
  } catch {
    return false;
  }
}

async function listen(port: number): Promise<{ readonly port: number; readonly close: () => Promise<void> }> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host: LOOPBACK, exclusive: true }, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('Cannot read a port: it is not a TCP socket');
  return { port: address.port, close: async () => await new Promise((resolve) => server.close(() => resolve())) };
}
