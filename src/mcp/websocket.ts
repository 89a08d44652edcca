import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { deserializeMessage, SdkError, SdkErrorCode, serializeMessage } from '@modelcontextprotocol/client';
import { WebSocket, type RawData } from 'ws';

export interface WebSocketServer {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly messageBytesMax: number;
}

const HANDSHAKE_MS = 15_000;
const CLOSE_MS = 1_000;

/** Carries MCP over a WebSocket of subprotocol `mcp`, one message a frame, for the servers that speak it so. */
export class WebSocketTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport['onmessage']>;
  readonly #server: WebSocketServer;
  #socket: WebSocket | undefined;

  constructor(server: WebSocketServer) {
    this.#server = server;
  }

  async start(): Promise<void> {
    if (this.#socket !== undefined) throw new Error('Cannot start the transport: it was started before');
    const { url, headers, messageBytesMax } = this.#server;
    const socket = new WebSocket(url, 'mcp', {
      headers: { ...headers },
      maxPayload: messageBytesMax,
      handshakeTimeout: HANDSHAKE_MS,
      // A server that answers with another address must not get the headers sent there.
      followRedirects: false,
    });
    this.#socket = socket;
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      // Later errors are no failures of the start; the closing that follows them tells.
      socket.on('error', (error) => {
        reject(error);
        this.onerror?.(error);
      });
      socket.on('message', (data, isBinary) => this.#take(data, isBinary));
      socket.once('close', () => {
        reject(new SdkError(SdkErrorCode.ConnectionClosed, 'Connection closed'));
        this.onclose?.();
      });
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const socket = this.#socket;
    if (socket?.readyState !== WebSocket.OPEN) throw new SdkError(SdkErrorCode.NotConnected, 'Not connected');
    await new Promise<void>((resolve, reject) => {
      socket.send(serializeMessage(message).trimEnd(), (error) => (error ? reject(error) : resolve()));
    });
  }

  async close(): Promise<void> {
    const socket = this.#socket;
    if (socket === undefined || socket.readyState === WebSocket.CLOSED) return;
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.close();
    // A peer that does not answer the closing handshake is cut off.
    const timer = setTimeout(() => socket.terminate(), CLOSE_MS);
    await closed;
    clearTimeout(timer);
  }

  #take(data: RawData, isBinary: boolean): void {
    try {
      if (isBinary) throw new Error('Cannot read a message: it is binary');
      this.onmessage?.(deserializeMessage(textOf(data)));
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString('utf8');
  return (data instanceof ArrayBuffer ? Buffer.from(data) : data).toString('utf8');
}
