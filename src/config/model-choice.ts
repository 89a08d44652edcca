import type { ModelChoice } from '../contract/terms.ts';
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

/** Screens where the agent file names nothing: the lightest of the current line. */
const DEFAULT_SCREENING_MODEL = 'haiku';

/** Tokens of one answer of a model that screens, thinking included; a verdict is a few sentences. */
const SCREENING_MAX_TOKENS = 4_000;

export interface ModelQuestion {
  readonly agentFile: AgentFile;
  readonly overrides: SpecOverrides;
  readonly settings: Pick<Settings, 'anthropic' | 'model'>;
  readonly models: ModelCatalog;
}

/** @throws {ConfigError} more tokens are asked for than the model can give in one reply */
export function chooseModel(question: ModelQuestion): ModelChoice {
  const { agentFile, models } = question;
  const { id, offline } = nameModel(question);
  const { contextTokens, maxOutputTokens } = models.factsOf(id);
  const wanted = agentFile.settings.maxTokens;
  if (wanted !== undefined && wanted > maxOutputTokens) {
    const expected = `expected at most ${maxOutputTokens}, which is what ${id} can give, got ${wanted}`;
    throw new ConfigError(agentFile.source, [`x-nightshift.maxTokens: ${expected}`]);
  }
  return {
    id,
    maxTokens: wanted ?? Math.min(DEFAULT_MAX_TOKENS, maxOutputTokens),
    ...(agentFile.effort === null ? {} : { effort: agentFile.effort }),
    contextTokens,
    offline,
  };
}

/** The model of everything that only screens: `models.light` of the agent file, and offline when the run's own is. */
export function chooseScreening(question: ModelQuestion): ModelChoice {
  return choiceOf(question, question.agentFile.settings.models?.light ?? DEFAULT_SCREENING_MODEL);
}

/** The model of critiques alone, or undefined when the agent file names none. */
export function chooseCritic(question: ModelQuestion): ModelChoice | undefined {
  const name = question.agentFile.settings.critique?.model;
  return name === undefined ? undefined : choiceOf(question, name);
}

function choiceOf(question: ModelQuestion, name: string): ModelChoice {
  const { models } = question;
  const named = models.resolveModelAlias(name);
  const isNamedOffline = named.startsWith(models.offlineModelId);
  const offline = isNamedOffline || nameModel(question).offline;
  const id = offline && !isNamedOffline ? models.offlineModelId : named;
  const { contextTokens, maxOutputTokens } = models.factsOf(id);
  return { id, maxTokens: Math.min(SCREENING_MAX_TOKENS, maxOutputTokens), contextTokens, offline };
}

/** Without a key no real model can answer, whatever is named; an offline model may also be named with a key. */
function nameModel({ agentFile, overrides, settings, models }: ModelQuestion): { id: string; offline: boolean } {
  const named = models.resolveModelAlias(overrides.model ?? settings.model ?? agentFile.model ?? DEFAULT_MODEL);
  if (named.startsWith(models.offlineModelId)) return { id: named, offline: true };
  if (settings.anthropic.apiKey === undefined) return { id: models.offlineModelId, offline: true };
  return { id: named, offline: false };
}
