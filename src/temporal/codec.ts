import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';
import { type Payload, type PayloadCodec, ValueError } from '@temporalio/common';
import proto from '@temporalio/proto';

/** Payloads with more data than this are compressed; smaller ones stay plain, so that people can read them. */
export const COMPRESS_ABOVE_BYTES = 32 * 1_024;

/** What one payload may grow to. The server takes 4 MB at most, so anything near this is an attack or a fault. */
export const INFLATED_BYTES_MAX = 64 * 1_024 * 1_024;

/** Stands in the metadata of a compressed payload; changing it makes old histories unreadable. */
const ENCODING = 'binary/nightshift-deflate';

const { Payload: PayloadMessage } = proto.temporal.api.common.v1;
const compress = promisify<Uint8Array, Buffer>(deflate);
const decompress = promisify<Uint8Array, { readonly maxOutputLength: number }, Buffer>(inflate);

/** Compresses large payloads with zlib; the whole payload goes in, so its own encoding comes out again. */
export const deflateCodec: PayloadCodec = {
  async encode(payloads) {
    return await Promise.all(payloads.map(encodePayload));
  },
  async decode(payloads) {
    return await Promise.all(payloads.map(decodePayload));
  },
};

async function encodePayload(payload: Payload): Promise<Payload> {
  const size = payload.data?.length ?? 0;
  if (size <= COMPRESS_ABOVE_BYTES) return payload;
  const data = await compress(PayloadMessage.encode(payload).finish());
  if (data.length >= size) return payload;
  return { metadata: { encoding: new TextEncoder().encode(ENCODING) }, data };
}

/** @throws {ValueError} the data is cut, damaged, or grows past `INFLATED_BYTES_MAX` */
async function decodePayload(payload: Payload): Promise<Payload> {
  const encoding = payload.metadata?.['encoding'];
  if (!encoding || new TextDecoder().decode(encoding) !== ENCODING) return payload;
  try {
    return PayloadMessage.decode(await decompress(payload.data ?? EMPTY, { maxOutputLength: INFLATED_BYTES_MAX }));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ValueError(`Cannot decode "${ENCODING}": ${reason}`, error);
  }
}

const EMPTY = new Uint8Array();
