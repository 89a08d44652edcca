import type { ModelChoice } from '../contract/terms.ts';
import type { Model } from '../models/model.ts';
import type { HookMeans } from '../tools/commands/hook-command.ts';
import type { Holder, Ledger } from '../tools/ledger/ledger.ts';
import type { Redactor } from '../tools/redaction/redaction.ts';
import type { Registry } from '../tools/registry.ts';
import type { ReplyKeeper } from './reply-keeper.ts';
import type { TranscriptCache } from './transcript-cache.ts';

/** What the activities work with; the worker puts it together. */
export interface Dependencies {
  readonly transcripts: TranscriptCache;
  readonly replies: ReplyKeeper;
  readonly model: (choice: ModelChoice) => Model;
  readonly registry: Registry;
  /** Whether the operator of this machine enabled the mode `yolo`. */
  readonly yoloEnabled: boolean;
  readonly hooks: HookMeans;
  /** Takes secrets out of whatever people, the model or history get to see. */
  readonly redactor: Redactor;
  /** The ledger beside a workspace; rejects when the folder is missing. */
  readonly ledgerOf: (workspace: string) => Promise<Ledger>;
  /** This incarnation of the worker, as claims name it. */
  readonly holder: Holder;
}
