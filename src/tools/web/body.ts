import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { ToolError } from '../tool.ts';

export interface Body {
  readonly bytes: Buffer;
  /** True when the body goes on after these bytes. */
  readonly cut: boolean;
}

/**
 * Reads a body, unpacked, up to a limit. It is unpacked piece by piece, so that a small body that unpacks into
 * gigabytes takes no more memory than the limit.
 */
export async function readBody(response: IncomingMessage, bytesMax: number): Promise<Body> {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of await unpacked(response)) {
      pieces.push(piece as Buffer);
      size += (piece as Buffer).length;
      if (size > bytesMax) break;
    }
  } finally {
    response.destroy();
  }
  return { bytes: Buffer.concat(pieces).subarray(0, bytesMax), cut: size > bytesMax };
}

async function unpacked(response: IncomingMessage): Promise<Readable> {
  const encoding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  // A body that ends too early still gives what came.
  const lenient = { finishFlush: constants.Z_SYNC_FLUSH };
  switch (encoding) {
    case '':
    case 'identity':
      return response;
    case 'gzip':
    case 'x-gzip':
      return through(response, createGunzip(lenient));
    case 'deflate':
      return through(response, (await hasZlibHeader(response)) ? createInflate(lenient) : createInflateRaw(lenient));
    case 'br':
      return through(response, createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH }));
    default:
      throw new ToolError('execution_failed', 'Cannot read the answer: it is packed in a way that was not asked for');
  }
}

/** The error of the source reaches the reader, and the end of the reader reaches the source. */
function through(response: IncomingMessage, unpacking: ReturnType<typeof createGunzip>): Readable {
  return pipeline(response, unpacking, () => {});
}

/** Some servers send `deflate` bare, although the standard wants it wrapped. */
async function hasZlibHeader(response: IncomingMessage): Promise<boolean> {
  await new Promise<void>((resolve, reject) => {
    response.once('readable', resolve).once('end', resolve).once('error', reject);
  });
  const start = response.read() as Buffer | null;
  if (start === null) return true;
  response.unshift(start);
  return ((start[0] ?? 0) & 0x0f) === 8;
}
