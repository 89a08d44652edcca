import { deflateSync } from 'node:zlib';
import type { Payload } from '@temporalio/common';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { COMPRESS_ABOVE_BYTES, deflateCodec, INFLATED_BYTES_MAX } from '../../src/temporal/codec.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (data: Uint8Array | null | undefined): string => new TextDecoder().decode(data ?? new Uint8Array());
const payload = (data: Uint8Array): Payload => ({ metadata: { encoding: bytes('json/plain') }, data });
const compressed = (data: Uint8Array): Payload => ({
  metadata: { encoding: bytes('binary/nightshift-deflate') },
  data,
});
const plain = ({ metadata, data }: Payload): unknown => ({
  metadata: Object.fromEntries(Object.entries(metadata ?? {}).map(([key, value]) => [key, text(value)])),
  data: Buffer.from(data ?? new Uint8Array()).toString('hex'),
});

async function encodeOne(one: Payload): Promise<Payload> {
  const [encoded] = await deflateCodec.encode([one]);
  if (encoded === undefined) throw new Error('The codec lost a payload');
  return encoded;
}

describe('what is compressed', () => {
  test('a payload at the threshold stays plain, one byte more is compressed', async () => {
    const at = payload(bytes('x'.repeat(COMPRESS_ABOVE_BYTES)));
    expect(await encodeOne(at)).toBe(at);
    const above = await encodeOne(payload(bytes('x'.repeat(COMPRESS_ABOVE_BYTES + 1))));
    expect(text(above.metadata?.['encoding'])).toBe('binary/nightshift-deflate');
    expect(above.data?.length).toBeLessThan(1_000);
  });

  test('data that does not shrink stays plain', async () => {
    const noise = payload(crypto.getRandomValues(new Uint8Array(65_536)));
    expect(await encodeOne(noise)).toBe(noise);
  });

  test('a payload without data passes through', async () => {
    const nothing: Payload = { metadata: { encoding: bytes('binary/null') } };
    expect(await deflateCodec.decode(await deflateCodec.encode([nothing]))).toEqual([nothing]);
  });
});

describe('what is refused', () => {
  const bomb = (): Uint8Array => deflateSync(Buffer.alloc(INFLATED_BYTES_MAX + 1));
  test.each([
    ['data that grows past the limit', bomb()],
    ['data that is cut', deflateSync(bytes('hello world')).subarray(0, 8)],
    ['data that is not compressed', bytes('hello')],
    ['no data', new Uint8Array()],
  ])('decode() refuses %s', async (_name, data) => {
    await expect(deflateCodec.decode([compressed(data)])).rejects.toThrow(
      'Cannot decode "binary/nightshift-deflate": ',
    );
  });
});

test('decode(encode(payloads)) gives the same payloads in the same order', async () => {
  const metadata = fc.dictionary(
    fc.string({ minLength: 1 }).filter((key) => key !== '__proto__'),
    fc.uint8Array({ maxLength: 40 }),
    { maxKeys: 4, noNullPrototype: true },
  );
  const data = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc
      .tuple(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 4_000 }))
      .map(([part, times]) => Uint8Array.from(Array.from({ length: times }, () => [...part]).flat())),
  );
  const payloads = fc.array(fc.record({ metadata, data }), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(payloads, async (originals) => {
      const decoded = await deflateCodec.decode(await deflateCodec.encode(originals));
      expect(decoded.map(plain)).toEqual(originals.map(plain));
    }),
    { numRuns: 100 },
  );
});
