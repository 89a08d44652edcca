import type { ToolCall, ToolCallResult } from '../../contract/tool-calls.ts';
import { note, type KeptRead, type Run } from '../run.ts';
import { jsonBytes } from '../sizes.ts';
import { textHash } from '../text-hash.ts';
import { told } from '../told.ts';

/** Reads remembered, the newest last. */
const READS_KEPT = 200;

/** A shorter result is not worth a sentence that says where it stands. */
const BYTES_MIN = 400;

/**
 * The result as the model gets it: where the same read found the same before, it is told so instead of being sent it
 * again. The source was looked at all the same, so what is said is true now. After a compaction everything is new.
 */
export function reuseRead(
  run: Run,
  { call, result }: { readonly call: ToolCall; readonly result: ToolCallResult },
  now: number,
): { readonly run: Run; readonly result: ToolCallResult } {
  const isRead = call.effect === 'read' && call.status === 'executing' && result.status === 'success';
  const bytes = jsonBytes(result.content);
  if (run.spec.reuseReads !== true || !isRead || bytes < BYTES_MIN) return { run, result };
  const hash = textHash(result.content);
  const earlier = run.reads.find(({ digest }) => digest === call.digest);
  if (earlier?.hash !== hash) return { run: remember(run, { digest: call.digest, hash, turn: run.turn }), result };
  const content = told.unchanged(earlier.turn, bytes);
  const saved = bytes - jsonBytes(content);
  const noted = note(count(run, saved), now, {
    type: 'read.reused',
    callId: call.id,
    fromTurn: earlier.turn,
    bytes: saved,
  });
  return { run: noted, result: { ...result, content } };
}

function remember(run: Run, read: KeptRead): Run {
  const others = run.reads.filter(({ digest }) => digest !== read.digest);
  return { ...run, reads: [...others, read].slice(-READS_KEPT) };
}

function count(run: Run, bytes: number): Run {
  const { reusedReads = 0, reusedBytes = 0 } = run.totals;
  return { ...run, totals: { ...run.totals, reusedReads: reusedReads + 1, reusedBytes: reusedBytes + bytes } };
}
