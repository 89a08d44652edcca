import type { ModelReply } from '../models/model.ts';
import type { Dependencies } from './dependencies.ts';
import type { Transcript } from './transcript-cache.ts';

/**
 * Keeps a reply beside the workspace before it is reported, so that a reply that was paid for is not asked for again
 * when the server could not be told of it. Without a workspace to keep it in, the call is simply made.
 */
export async function keepReply(
  { holder, ledgerOf }: Dependencies,
  { transcript, name }: { readonly transcript: Transcript; readonly name: string },
  ask: () => Promise<ModelReply>,
): Promise<ModelReply> {
  const { workspace, runId } = transcript.spec;
  const ledger = await ledgerOf(workspace).catch(() => null);
  if (ledger === null) return await ask();
  const kept = await ledger.once<ModelReply>({ run: runId, call: name, effect: 'read', holder }, ask);
  return kept.kind === 'done' || kept.kind === 'stored' ? kept.value : await ask();
}
