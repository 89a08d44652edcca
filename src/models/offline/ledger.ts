import type { Fault } from './faults.ts';
import type { Scenario } from './scenario.ts';

export interface RecordedRequest {
  /** The body as it came. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Names in lower case. The key is not kept. */
  readonly headers: Readonly<Record<string, string>>;
}

/** How the requests to one model ended. A fault in the way counts by what the client got of it. */
export interface RequestCounts {
  readonly requests: number;
  /** Replies sent whole. */
  readonly completed: number;
  /** Answered with an error before a word was said. */
  readonly refused: number;
  /** Broken off by a fault, or because the client went away. */
  readonly abandoned: number;
}

/** Tokens that requests to one model are billed for: whole prompts, and the output that was sent. */
export interface BilledTokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** What the server knows about one model: its script, its faults to come, and what it was asked. */
export interface ModelLedger {
  scenario: Scenario | null;
  readonly faults: Fault[];
  readonly recorded: RecordedRequest[];
  readonly counts: { -readonly [Key in keyof RequestCounts]: RequestCounts[Key] };
  billed: BilledTokens;
}

/** Models that are remembered; ids come from outside, so there must be an end to them. */
const MODELS_MAX = 1_000;

export interface Ledger {
  readonly of: (modelId: string) => ModelLedger;
  readonly scripted: () => readonly string[];
  readonly record: (modelId: string, request: RecordedRequest) => void;
}

/** `keep` requests of each model are remembered: each holds its whole transcript, so they must be few. */
export function createLedger(keep: number): Ledger {
  const models = new Map<string, ModelLedger>();
  const of = (modelId: string): ModelLedger => {
    const known = models.get(modelId);
    if (known !== undefined) return known;
    const fresh: ModelLedger = {
      scenario: null,
      faults: [],
      recorded: [],
      counts: { requests: 0, completed: 0, refused: 0, abandoned: 0 },
      billed: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    };
    const idle = models.size < MODELS_MAX ? undefined : [...models].find(([, { scenario }]) => scenario === null)?.[0];
    if (idle !== undefined) models.delete(idle);
    models.set(modelId, fresh);
    return fresh;
  };
  return {
    of,
    scripted: () => [...models].filter(([, { scenario }]) => scenario !== null).map(([id]) => id),
    record(modelId, request) {
      const { recorded, counts } = of(modelId);
      counts.requests += 1;
      recorded.push(request);
      recorded.splice(0, Math.max(0, recorded.length - keep));
    },
  };
}
