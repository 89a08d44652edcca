import type { ModelChoice } from '../contract/spec.ts';
import type { AgentFile } from './agent-file.ts';
import { ConfigError } from './config-error.ts';
import type { Settings } from './settings.ts';
import type { SpecOverrides } from './terms.ts';

/** What is known about models. The rooms that know it are not ours to import, so the caller hands it in. */
export interface ModelCatalog {
  /** `sonnet` becomes the id of the newest one; other names stay. */
  readonly resolveModelAlias: (name: string) => string;
  readonly factsOf: (id: string) => { readonly contextTokens: number; readonly maxOutputTokens: number };
  /** The model that stands in when there is no API key. */
  readonly offlineModelId: string;
}

const DEFAULT_MODEL = 'sonnet';

/** Tokens of one reply where the agent file says nothing; even all text, far below what history keeps of one. */
const DEFAULT_MAX_TOKENS = 16_000;

export interface ModelQuestion {
  readonly agentFile: AgentFile;
  readonly overrides: SpecOverrides;
  readonly settings: Pick<Settings, 'anthropic' | 'model'>;
  readonly models: ModelCatalog;
}

/** @throws {ConfigError} more tokens are asked for than the model can give in one reply */
export function chooseModel({ agentFile, overrides, settings, models }: ModelQuestion): ModelChoice {
  const named = models.resolveModelAlias(overrides.model ?? settings.model ?? agentFile.model ?? DEFAULT_MODEL);
  const offline = settings.anthropic.apiKey === undefined || named.startsWith(models.offlineModelId);
  const id = offline && !named.startsWith(models.offlineModelId) ? models.offlineModelId : named;
  const facts = models.factsOf(id);
  const wanted = agentFile.settings.maxTokens;
  if (wanted !== undefined && wanted > facts.maxOutputTokens) {
    const expected = `expected at most ${facts.maxOutputTokens}, which is what ${id} can give, got ${wanted}`;
    throw new ConfigError(agentFile.source, [`x-nightshift.maxTokens: ${expected}`]);
  }
  return {
    id,
    maxTokens: wanted ?? Math.min(DEFAULT_MAX_TOKENS, facts.maxOutputTokens),
    ...(agentFile.effort === null ? {} : { effort: agentFile.effort }),
    contextTokens: facts.contextTokens,
    offline,
  };
}
