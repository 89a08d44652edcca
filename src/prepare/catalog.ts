import type { Environment } from '../config/environment.ts';
import { readMcpServers, type McpServers } from '../config/mcp-servers.ts';
import { keepMcpServer } from '../config/mcp-store.ts';
import type { Settings } from '../config/settings.ts';
import { readSettingsLayers, type SettingsLayers } from '../config/settings-files.ts';
import { trustOf, type Trust } from '../config/trust.ts';
import { controlDefinitions, TOOL_SEARCH, useToolDefinition } from '../contract/control-tools.ts';
import type { ToolDefinition } from '../contract/spec.ts';
import { createBuiltinTools } from '../tools/builtin.ts';
import { discoverCommandTools } from '../tools/commands/command-tools.ts';
import { createRegistry, type Registry } from '../tools/registry.ts';
import { createSandbox } from '../tools/sandbox/sandbox.ts';
import { ToolError } from '../tools/tool.ts';
import { knownToolNames } from '../worker/known-tools.ts';
import { askServers, type ListedServer } from './ask-servers.ts';
import { searchOptions } from '../worker/search-options.ts';
import { memoryFolders } from '../worker/tooling.ts';
import { withoutTwins } from './without-twins.ts';

export interface CatalogQuestion {
  /** Absolute path of the folder the run will work in. */
  readonly workspace: string;
  readonly settings: Settings;
  readonly env: Environment;
  readonly signal: AbortSignal;
  /** Told what takes a while, a line each. */
  readonly onProgress?: (line: string) => void;
  /** False leaves out what would have to be started: MCP servers and discovery commands. */
  readonly startsOthers?: boolean;
}

/** All tools that a run in a folder may be given, and the terms on which it may use them. */
export interface Catalog {
  readonly definitions: readonly ToolDefinition[];
  /** By which tools are found and called that are not sent to the model. */
  readonly searchDefinitions: readonly ToolDefinition[];
  readonly registry: Registry;
  readonly layers: SettingsLayers;
  readonly trust: Trust;
  readonly mcp: McpServers;
  readonly servers: readonly ListedServer[];
  /** A line each about what is left out, and why. */
  readonly notices: readonly string[];
}

/** The tools that are always there, by our names; the one that finds others is given where it is needed. */
function builtInDefinitions(registry: Registry): readonly ToolDefinition[] {
  const names = registry.names.filter((name) => name !== TOOL_SEARCH);
  return [...registry.definitions(names), ...controlDefinitions];
}

function builtInRegistry(env: Environment, { folders }: Settings, layers: SettingsLayers): Registry {
  const webSearch = searchOptions(layers.webSearch, env);
  return createRegistry(
    createBuiltinTools({
      environment: env,
      sandbox: createSandbox({ environment: env, allowedDomains: layers.sandbox.allowedDomains }),
      memoryFolder: memoryFolders(folders.dataFolder),
      ...(webSearch !== undefined && { webSearch }),
    }),
  );
}

/**
 * Gathers the tools of a folder: those built in, those that trusted commands declare, and those of trusted MCP servers.
 * What is broken is left out with a notice and takes nothing else down.
 *
 * @throws {ConfigError} the settings cannot be used; the rules in them would not be kept
 */
export async function gatherCatalog(question: CatalogQuestion): Promise<Catalog> {
  const { workspace, settings, env } = question;
  const { dataFolder } = settings.folders;
  const mcp = await readMcpServers({ folder: workspace });
  const trust = await trustOf({ dataFolder, folder: workspace, seen: mcp.files });
  const layers = await readSettingsLayers({
    folder: workspace,
    env,
    home: settings.home,
    knownTools: knownToolNames(env),
    isTrusted: async (seen) => (await trustOf({ dataFolder, folder: workspace, seen })).kind === 'trusted',
  });
  const [servers, commands] = await Promise.all([listServers(question, { mcp, trust }), discover(question, layers)]);
  const listed = servers.flatMap((server) => (server.kind === 'ok' ? server.definitions : []));
  const registry = builtInRegistry(env, settings, layers);
  const searchDefinitions = [...registry.definitions([TOOL_SEARCH]), useToolDefinition];
  const known = [...searchDefinitions, ...builtInDefinitions(registry)];
  const untwinned = withoutTwins([...known, ...commands.definitions, ...listed]);
  return {
    definitions: untwinned.definitions.slice(searchDefinitions.length),
    searchDefinitions,
    registry,
    layers,
    trust,
    mcp,
    servers,
    notices: [
      ...layers.notices,
      ...mcp.problems,
      ...mcp.notices,
      ...trustNotice(mcp, trust),
      ...commands.notices,
      ...servers.flatMap(serverNotices),
      ...untwinned.notices,
    ],
  };
}

interface Known {
  readonly mcp: McpServers;
  readonly trust: Trust;
}

async function listServers(question: CatalogQuestion, { mcp, trust }: Known): Promise<readonly ListedServer[]> {
  const { workspace, settings, env, signal, onProgress = () => undefined, startsOthers = true } = question;
  if (!startsOthers || trust.kind !== 'trusted' || mcp.servers.length === 0) return [];
  onProgress(`Asking ${mcp.servers.map(({ name }) => name).join(', ')} for tools`);
  const listed = await askServers({ servers: mcp.servers, workspace, env, signal });
  // The worker finds by digest how to reach them, so that no spec and no history holds it.
  await Promise.all(mcp.servers.map(async (known) => await keepMcpServer(settings.folders.dataFolder, known)));
  return listed;
}

interface Discovered {
  readonly definitions: readonly ToolDefinition[];
  readonly notices: readonly string[];
}

async function discover(
  question: CatalogQuestion,
  { tools, sandbox: { allowedDomains } }: SettingsLayers,
): Promise<Discovered> {
  const { workspace, env, signal, onProgress = () => undefined, startsOthers = true } = question;
  if (!startsOthers || tools.length === 0) return { definitions: [], notices: [] };
  const sandbox = createSandbox({ environment: env, allowedDomains });
  try {
    const found = await Promise.all(
      tools.map(async (commands) => {
        onProgress(`Asking "${commands.discover}" for tools`);
        const wish = { ...commands, root: workspace, environment: env, sandbox, signal };
        return await discoverCommandTools(wish).catch(leftOut);
      }),
    );
    return {
      definitions: found.flatMap(({ definitions }) => definitions),
      notices: found.flatMap(({ problems }) => problems),
    };
  } finally {
    await sandbox.close();
  }
}

/** A command that cannot be asked brings no tools, and takes nothing else down. */
function leftOut(error: unknown): {
  readonly definitions: readonly ToolDefinition[];
  readonly problems: readonly string[];
} {
  if (!(error instanceof ToolError)) throw error;
  return { definitions: [], problems: [error.message] };
}

function trustNotice({ servers }: McpServers, { kind, files }: Trust): readonly string[] {
  if (servers.length === 0 || kind === 'trusted') return [];
  const names = servers.map(({ name }) => name).join(', ');
  const why =
    kind === 'changed' ? `${files.join(', ')} changed since you trusted this folder` : 'this folder is not trusted';
  return [
    `the MCP servers ${names} are not started, because ${why}; look at them with "nightshift mcp ls", then "nightshift mcp trust"`,
  ];
}

function serverNotices(server: ListedServer): readonly string[] {
  if (server.kind === 'ok') return server.notices.map((notice) => `MCP server ${server.name}: ${notice}`);
  return [`the MCP server ${server.name} is left out: ${server.why}`];
}
