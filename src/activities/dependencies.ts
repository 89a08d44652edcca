import type { ModelChoice } from '../contract/spec.ts';
import type { Model } from '../models/model.ts';
import type { Holder, Ledger } from '../tools/ledger.ts';
import type { Registry } from '../tools/registry.ts';
import type { ReplyKeeper } from './reply-keeper.ts';
import type { TranscriptCache } from './transcript-cache.ts';

/** What the activities work with; the worker puts it together. */
export interface Dependencies {
  readonly transcripts: TranscriptCache;
  readonly replies: ReplyKeeper;
  readonly model: (choice: ModelChoice) => Model;
  readonly registry: Registry;
  /** The ledger beside a workspace; rejects when the folder is missing. */
  readonly ledgerOf: (workspace: string) => Promise<Ledger>;
  /** This incarnation of the worker, as claims name it. */
  readonly holder: Holder;
}
