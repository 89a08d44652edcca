import { resolve } from 'node:path';
import type { AgentFile } from '../../../config/agent-file.ts';
import { findAgentFile } from '../../../config/find-agent-file.ts';
import { resolveRunSpec } from '../../../config/run-spec.ts';
import type { SettingsLayers } from '../../../config/settings-files.ts';
import type { Policy, PolicyMode, ToolDefinition } from '../../../contract/spec.ts';
import { factsOf, OFFLINE_MODEL_ID, resolveModelAlias } from '../../../models/facts.ts';
import { gatherCatalog, type Catalog } from '../../../prepare/catalog.ts';
import { knownToolNames } from '../../../worker/known-tools.ts';
import type { Context } from '../../context.ts';
import { findWorkspace } from '../../running/prepare.ts';

export interface FolderFlags {
  readonly workspace?: string;
}

export interface FolderTools {
  /** Real path. */
  readonly workspace: string;
  readonly catalog: Catalog;
}

/** All tools of a folder. Without `startsOthers`, nothing is started to ask for them. */
export async function toolsOfFolder(
  { folder, settings, env, terminal }: Context,
  { workspace: wanted, startsOthers = true }: FolderFlags & { readonly startsOthers?: boolean },
): Promise<FolderTools> {
  const workspace = await findWorkspace(resolve(folder, wanted ?? '.'));
  const catalog = await gatherCatalog({
    workspace,
    settings,
    env,
    startsOthers,
    signal: new AbortController().signal,
    onProgress: (line) => terminal.say(terminal.colors.dim(line)),
  });
  return { workspace, catalog };
}

export interface TermsWish {
  readonly agent?: string | undefined;
  readonly mode?: PolicyMode | undefined;
  readonly workspace: string;
  readonly layers: SettingsLayers;
  /** The tool that a call is about. */
  readonly definition?: ToolDefinition;
}

/** On what terms an agent may use tools; without one, what stands above every agent. */
export interface Terms {
  readonly policy: Policy;
  readonly agent: string | null;
  readonly agentSource: string;
  /** Whether the agent is given the tool that the call is about. */
  readonly isGiven: boolean;
  readonly notices: readonly string[];
}

/** @throws {ConfigError} the agent's file or the settings cannot be used */
export async function termsOf(context: Context, wish: TermsWish): Promise<Terms> {
  const { folder, settings, env } = context;
  const { agent, mode, workspace, layers, definition } = wish;
  const toolDefinitions = definition === undefined ? [] : [definition];
  const knownTools = [...knownToolNames(env), ...toolDefinitions.map(({ name }) => name)];
  const agentFile =
    agent === undefined ? NOBODY : await findAgentFile(agent, { folder, home: settings.home, knownTools });
  const { policy, tools } = resolveRunSpec({
    agentFile,
    task: 'none',
    workspace,
    overrides: mode === undefined ? {} : { mode },
    settings,
    toolDefinitions,
    above: layers,
    models: { resolveModelAlias, factsOf, offlineModelId: OFFLINE_MODEL_ID },
    now: new Date(),
  });
  return {
    policy,
    agent: agent === undefined ? null : agentFile.name,
    agentSource: agentFile.source,
    isGiven: tools.length > 0,
    notices: [...agentFile.notices, ...modeNotice(mode, policy)],
  };
}

/** An agent without rules of its own, which has all tools. */
const NOBODY: AgentFile = {
  name: 'nobody',
  description: '',
  source: '',
  prompt: '.',
  model: null,
  tools: null,
  disallowedTools: [],
  effort: null,
  maxTurns: null,
  settings: {},
  notices: [],
};

function modeNotice(wanted: PolicyMode | undefined, { mode = 'default' }: Policy): readonly string[] {
  if (wanted === undefined || wanted === mode) return [];
  return [`the mode is "${mode}", because settings or agent ask for a stricter one than "${wanted}"`];
}
