import * as z from 'zod';
import { LEDGER } from '../contract/names.ts';
import { priceSchema, type Budget, type Price } from '../contract/terms.ts';

/** Far below what the ledger can read: a cap that it cannot read would park every run. */
const CAP_MAX = 1e12;

const KEYS = 'expected keys with values';
const DOLLARS = 'expected dollars above 0, at most 1,000,000,000,000';
const TOKENS = 'expected a whole number of tokens above 0, at most 1,000,000,000,000';
const PRICE = 'expected dollars for a million tokens, 0 or more';

const capSchema = z.strictObject(
  {
    costUsd: z.number(DOLLARS).positive(DOLLARS).max(CAP_MAX, DOLLARS).optional(),
    tokens: z.int(TOKENS).min(1, TOKENS).max(CAP_MAX, TOKENS).optional(),
  },
  KEYS,
);

/** What runs may spend together, per day in UTC. A layer below can only lower what those above it say. */
export const budgetsSchema = z.strictObject(
  {
    /** All runs of a day together. */
    perDay: capSchema.optional(),
    /** All runs of one agent in a day. */
    perAgentPerDay: capSchema.optional(),
    /** A run with all that it starts. */
    perRunTree: capSchema.optional(),
    /** Of single agents in a day, instead of `perAgentPerDay`. */
    agents: z.record(z.string().min(1), capSchema, KEYS).optional(),
    atCap: z.enum(['ask', 'stop'], 'expected "ask" or "stop"').optional(),
  },
  KEYS,
);

const dollars = z.number(PRICE).min(0, PRICE);

/** Dollars for a million tokens, by the model's id. */
export const pricesSchema = z.record(
  z.string().min(1),
  priceSchema.extend({ input: dollars, output: dollars, cacheRead: dollars, cacheWrite: dollars }),
  KEYS,
);

export type BudgetSettings = z.infer<typeof budgetsSchema>;
type CapSettings = z.infer<typeof capSchema>;

/** What the layers of settings say about money. Part of `SettingsLayers`; each is left out where nothing is said. */
export interface MoneySettings {
  /** Of each layer that says something, the uppermost first. */
  readonly budgets?: readonly BudgetSettings[];
  readonly prices?: Readonly<Record<string, Price>>;
  /** Whether a model may be used whose price nobody knows. */
  readonly allowUnpriced?: boolean;
}

interface MoneyFile {
  readonly budgets?: BudgetSettings | undefined;
  readonly prices?: Readonly<Record<string, Price>> | undefined;
  readonly allowUnpriced?: boolean | undefined;
}

/** The uppermost layer that names a price, or says whether one is needed, decides it. */
export function moneyOf(files: readonly { readonly data: MoneyFile }[]): MoneySettings {
  const budgets = files.flatMap(({ data }) => data.budgets ?? []);
  const prices = files.toReversed().flatMap(({ data }) => Object.entries(data.prices ?? {}));
  const allowUnpriced = files.find(({ data }) => data.allowUnpriced !== undefined)?.data.allowUnpriced;
  return {
    ...(budgets.length > 0 && { budgets }),
    ...(prices.length > 0 && { prices: Object.fromEntries(prices) }),
    ...(allowUnpriced !== undefined && { allowUnpriced }),
  };
}

export interface BudgetQuestion {
  readonly settings: Pick<MoneySettings, 'budgets'>;
  readonly agent: string;
  /** Of the root, for a run that another one started. */
  readonly runId: string;
  readonly now: Date;
}

/** The budgets a run shares, as they are frozen into its spec; undefined where no layer says anything. */
export function budgetOf({ settings, agent, runId, now }: BudgetQuestion): Budget | undefined {
  const { budgets = [] } = settings;
  if (budgets.length === 0) return undefined;
  const day = now.toISOString().slice(0, 10);
  const caps = [
    { key: `day:${day}`, ...lowest(budgets.map(({ perDay }) => perDay)) },
    { key: `agent:${agent}:${day}`, ...lowest(budgets.map((layer) => ofAgent(layer, agent))) },
    { key: `tree:${runId}`, ...lowest(budgets.map(({ perRunTree }) => perRunTree)) },
  ].filter((cap) => 'costUsd' in cap || 'tokens' in cap);
  const atCap = budgets.some((layer) => layer.atCap === 'stop') ? 'stop' : 'ask';
  return { atCap, ...(caps.length > 0 && { ledger: LEDGER.id }), caps };
}

function ofAgent({ perAgentPerDay, agents = {} }: BudgetSettings, agent: string): CapSettings {
  return { ...perAgentPerDay, ...(Object.hasOwn(agents, agent) ? agents[agent] : {}) };
}

function lowest(caps: readonly (CapSettings | undefined)[]): CapSettings {
  const costs = caps.flatMap((cap) => cap?.costUsd ?? []);
  const tokens = caps.flatMap((cap) => cap?.tokens ?? []);
  return {
    ...(costs.length > 0 && { costUsd: Math.min(...costs) }),
    ...(tokens.length > 0 && { tokens: Math.min(...tokens) }),
  };
}
