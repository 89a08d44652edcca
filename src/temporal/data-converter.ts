import type { DataConverter } from '@temporalio/common';
import { deflateCodec } from './codec.ts';

/** Every client, worker and replayer must use the same one, or it cannot read what the others wrote. */
export const dataConverter: DataConverter = { payloadCodecs: [deflateCodec] };
