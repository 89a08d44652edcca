import type { AgentFile } from '../config/agent-file.ts';
import type { Settings } from '../config/settings.ts';
import type { SettingsLayers } from '../config/settings-files.ts';
import type { ToolDefinition } from '../contract/spec.ts';
import { decidePolicy } from '../core/policy/policy.ts';

/** As the API names its own search; checked against the types of the SDK. */
const API_SEARCH = 'web_search_20250305';

const WEB_SEARCH = 'web_search';

interface Terms {
  readonly settings: Pick<Settings, 'anthropic'>;
  readonly layers: SettingsLayers;
  readonly agentFile: AgentFile;
}

/**
 * Adds the search of the model API itself. The API runs it within a reply, so nobody can be asked about each: it is
 * there only where the rules allow `web_search` unasked, and where the API is Anthropic's own. Elsewhere a configured
 * search is the tool of that name, or there is none.
 */
export function withApiSearch(
  definitions: readonly ToolDefinition[],
  { settings: { anthropic }, layers, agentFile }: Terms,
): readonly ToolDefinition[] {
  if (anthropic.apiKey === undefined || anthropic.baseURL !== undefined) return definitions;
  const { allow = [], ask = [], deny = [] } = agentFile.settings.policy ?? {};
  const policy = { allow: [...allow], ask: [...ask], deny: [...deny], above: [...layers.layers] };
  const call = { tool: WEB_SEARCH, effect: 'read', input: {}, touches: [{ kind: 'domain', host: 'search' }] } as const;
  if (decidePolicy(policy, call).decision !== 'allow') return definitions;
  return [...definitions.filter(({ name }) => name !== WEB_SEARCH), apiSearch];
}

const apiSearch: ToolDefinition = {
  name: WEB_SEARCH,
  description: 'Searches the web.',
  inputSchema: { type: 'object' },
  effect: 'read',
  timeoutMs: 30_000,
  local: false,
  origin: { kind: 'api', type: API_SEARCH },
};
