import { PROXY_PORT, PROXY_SOCKET } from './confinement.ts';

/**
 * Runs in the sandbox, as text for `node -e`: programs know proxies by address and port only, and the one way out is a
 * socket in the file system. Says when it listens.
 */
export const FORWARDER_PROGRAM = `
const net = require('node:net');
net.createServer((one) => {
  const other = net.connect(${JSON.stringify(PROXY_SOCKET)});
  one.on('error', () => other.destroy()).pipe(other);
  other.on('error', () => one.destroy()).pipe(one);
}).listen(${PROXY_PORT}, '127.0.0.1', () => console.log('ready'));
`;
