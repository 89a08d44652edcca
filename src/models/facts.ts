/**
 * What is known about models without asking the API. Figures are those of platform.claude.com on 2026-11-20; a
 * model that is not listed there in full is left out, and then cautious values stand in.
 */
export interface ModelFacts {
  /** Tokens that prompt and reply may have together. */
  readonly contextTokens: number;
  /** Tokens one reply may have. */
  readonly maxOutputTokens: number;
  /**
   * `adaptive`: takes `thinking: {type: 'adaptive'}`. `extended`: only with a budget, which we never ask for.
   * `unknown`: nothing is sent, and the model does as it does by default.
   */
  readonly thinking: 'adaptive' | 'extended' | 'unknown';
  /** Whether the API summarises a conversation with it on demand, and signs the summary. */
  readonly compaction: boolean;
  /** False when the values are stand-ins. */
  readonly known: boolean;
}

const LARGE: ModelFacts = {
  contextTokens: 1_000_000,
  maxOutputTokens: 128_000,
  thinking: 'adaptive',
  compaction: true,
  known: true,
};

const FACTS: Readonly<Record<string, ModelFacts>> = {
  'claude-fable-5-1': LARGE,
  'claude-opus-5-5': LARGE,
  'claude-opus-5': LARGE,
  'claude-sonnet-5-5': LARGE,
  'claude-haiku-5-5': LARGE,
  'claude-haiku-4-5': {
    contextTokens: 200_000,
    maxOutputTokens: 64_000,
    thinking: 'extended',
    compaction: false,
    known: true,
  },
};

/** Small enough for every model that the SDK names and whose window is published. */
const STAND_IN: ModelFacts = {
  contextTokens: 200_000,
  maxOutputTokens: 64_000,
  thinking: 'unknown',
  compaction: false,
  known: false,
};

/** Ours, so that the offline model fits where the real one does. */
const OFFLINE: ModelFacts = {
  contextTokens: 200_000,
  maxOutputTokens: 64_000,
  thinking: 'adaptive',
  compaction: true,
  known: true,
};

/** Newest models of each family among those the SDK names. */
const ALIASES: Readonly<Record<string, string>> = {
  fable: 'claude-fable-5-2',
  mythos: 'claude-mythos-5-2',
  opus: 'claude-opus-5-5',
  sonnet: 'claude-sonnet-5-5',
  haiku: 'claude-haiku-5-5',
};

/** The model that stands in when no API key is configured. */
export const OFFLINE_MODEL_ID = 'offline';

export function isOfflineModel(modelId: string): boolean {
  return modelId.startsWith(OFFLINE_MODEL_ID);
}

/** The id without the date that pins it, such as `-20251001`. */
export function undated(modelId: string): string {
  return modelId.replace(/-\d{8}$/, '');
}

export function factsOf(modelId: string): ModelFacts {
  if (isOfflineModel(modelId)) return OFFLINE;
  return own(FACTS, undated(modelId)) ?? STAND_IN;
}

/** `sonnet` becomes the id of the newest Sonnet; every other name is returned as it is. */
export function resolveModelAlias(name: string): string {
  return own(ALIASES, name.toLowerCase()) ?? name;
}

/** Ids come from people, so `constructor` must not find anything. */
function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
