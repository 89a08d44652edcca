import type { Prefix } from './binding.ts';

/** Roughly what a token is worth in English text and code. */
const CHARACTERS_PER_TOKEN = 4;

/** A shorter prompt is not cached, so that small calls show a plain input count. */
const CACHED_TOKENS_MIN = 1_024;

/** Prefixes remembered; the oldest are forgotten first. */
const REMEMBERED_MAX = 10_000;

export interface PromptCounts {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export function tokensOf(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

/** Simulates prompt caching: what was sent before is read, what is new is written. */
export interface PromptCache {
  readonly count: (model: string, prefixes: readonly Prefix[], cached: boolean) => PromptCounts;
}

export function createPromptCache(): PromptCache {
  const remembered = new Set<string>();
  return {
    count(model, prefixes, cached) {
      const total = tokensOf(prefixes.at(-1)?.characters ?? 0);
      if (!cached || total < CACHED_TOKENS_MIN) return { input: total, cacheRead: 0, cacheWrite: 0 };
      const known = prefixes.findLast(({ hash }) => remembered.has(`${model} ${hash}`));
      const cacheRead = tokensOf(known?.characters ?? 0);
      remember(remembered, `${model} ${prefixes.at(-1)?.hash}`);
      return { input: 0, cacheRead, cacheWrite: total - cacheRead };
    },
  };
}

function remember(remembered: Set<string>, key: string): void {
  remembered.delete(key);
  remembered.add(key);
  for (const oldest of remembered) {
    if (remembered.size <= REMEMBERED_MAX) return;
    remembered.delete(oldest);
  }
}
