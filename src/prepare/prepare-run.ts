import { basename } from 'node:path';
import type { AgentFile } from '../config/agent-file.ts';
import { ConfigError } from '../config/config-error.ts';
import { budgetOf } from '../config/budgets.ts';
import { findAgentFile, listAgentFiles, type AgentPlaces } from '../config/find-agent-file.ts';
import { roomForTools, toolsNotice } from '../config/offered-tools.ts';
import { priceOf } from '../config/prices.ts';
import { chooseTools, newRunId, resolveRunSpec } from '../config/run-spec.ts';
import type { SettingsLayers } from '../config/settings-files.ts';
import type { SpecOverrides } from '../config/terms.ts';
import type { RunSpec, ToolDefinition } from '../contract/spec.ts';
import type { ModelChoice } from '../contract/terms.ts';
import { factsOf, OFFLINE_MODEL_ID, resolveModelAlias } from '../models/facts.ts';
import { priceUsd } from '../models/prices.ts';
import { knownToolNames } from '../worker/known-tools.ts';
import { gatherCatalog, type Catalog, type CatalogQuestion } from './catalog.ts';
import { withApiSearch } from './api-search.ts';

export interface PrepareQuestion extends Omit<CatalogQuestion, 'startsOthers'> {
  /** Name of an agent, or path of its file. */
  readonly agent: string;
  /** The folder from which agents are looked for. */
  readonly folder: string;
  readonly task: string;
  readonly overrides: SpecOverrides;
}

export interface PreparedRun {
  readonly spec: RunSpec;
  readonly catalog: Catalog;
  /** A line each about what was read and is not used as written, and what is left out. */
  readonly notices: readonly string[];
}

/**
 * Checks everything that can be wrong before anything is started, and freezes the run: agent, tools and policy.
 *
 * @throws {ConfigError} the agent's file, the settings, the task or a limit cannot be used
 */
export async function prepareRun(question: PrepareQuestion): Promise<PreparedRun> {
  const { agent, folder, settings, env, task, workspace, overrides } = question;
  const places = { folder, home: settings.home, knownTools: knownToolNames(env) };
  const early = await readEarly(agent, places);
  const catalog = await gatherCatalog({ ...question, startsOthers: early === null || wantsOthers(early) });
  const names = catalog.definitions.map(({ name }) => name);
  const agentFile =
    early ?? (await findAgentFile(agent, { ...places, knownTools: [...new Set([...places.knownTools, ...names])] }));
  const planner = agentFile.settings.planning === true ? await readPlanner(agentFile, places) : undefined;
  const { layers } = catalog;
  const runId = overrides.runId ?? newRunId(agentFile.name);
  const now = new Date();
  const budget = budgetOf({ settings: layers, agent: agentFile.name, runId, now });
  const toolDefinitions = withApiSearch(catalog.definitions, { settings, layers, agentFile });
  const spec = resolveRunSpec({
    agentFile,
    task,
    workspace,
    overrides: { ...overrides, runId },
    settings,
    toolDefinitions,
    searchDefinitions: catalog.searchDefinitions,
    above: layers,
    models: { resolveModelAlias, factsOf, offlineModelId: OFFLINE_MODEL_ID },
    ...(planner !== undefined && { planner }),
    // Without a shared budget a person may still top up the run's own limits.
    budget: budget ?? { atCap: 'ask', caps: [] },
    hooks: layers.hooks,
    priceOf: (model) => pricesOf(model, layers),
    now,
  });
  return {
    spec,
    catalog,
    notices: [
      ...agentFile.notices,
      ...catalog.notices,
      ...roomForTools(chooseTools({ agentFile, toolDefinitions })).notices,
      ...missing(agentFile, spec.tools),
      ...toolsNotice(spec.tools),
    ],
  };
}

/** The price that the operator set, if any, and the most a call may cost, by which it is reserved. */
function pricesOf(
  model: Pick<ModelChoice, 'id' | 'offline'>,
  settings: SettingsLayers,
): Pick<ModelChoice, 'price' | 'priceCeiling'> {
  const { kind, price } = priceOf({ model, settings, priceUsd });
  if (price === null) return {};
  return kind === 'configured' ? { price, priceCeiling: price } : { priceCeiling: price };
}

/** The agent named `plan` makes the plans of others, where there is one. */
async function readPlanner(agentFile: AgentFile, places: AgentPlaces): Promise<AgentFile | undefined> {
  const found = (await listAgentFiles(places)).some((path) => basename(path, '.md') === PLANNER);
  return found && agentFile.name !== PLANNER ? await findAgentFile(PLANNER, places) : undefined;
}

const PLANNER = 'plan';

/** Reads the agent before any server is started; null when it may name tools that only those know. */
async function readEarly(agent: string, places: AgentPlaces): Promise<AgentFile | null> {
  try {
    return await findAgentFile(agent, places);
  } catch (error) {
    if (error instanceof ConfigError) return null;
    throw error;
  }
}

/** An agent that names its tools, and none of a server, needs no server to be asked. */
function wantsOthers({ tools }: AgentFile): boolean {
  return tools === null || tools.some((name) => name.startsWith('mcp__'));
}

/** Tools an agent names that are not there now; a server may be broken, or not trusted. */
function missing({ tools }: AgentFile, given: readonly ToolDefinition[]): readonly string[] {
  const has = (wanted: string): boolean =>
    given.some(
      ({ name }) => name === wanted || (wanted.startsWith('mcp__') && name.startsWith(wanted.replace(/\*$/u, ''))),
    );
  const gone = (tools ?? []).filter((name) => !has(name));
  return gone.length === 0 ? [] : [`the agent names tools that are not there: ${gone.join(', ')}`];
}
