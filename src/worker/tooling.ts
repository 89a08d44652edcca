import { join } from 'node:path';
import type { Environment } from '../config/environment.ts';
import { userHome } from '../config/folders.ts';
import { findMcpServer } from '../config/mcp-store.ts';
import { readSettingsLayers, type SettingsLayers } from '../config/settings-files.ts';
import { trustOf } from '../config/trust.ts';
import { createMcpPool } from '../mcp/pool.ts';
import { createMcpTool } from '../mcp/tool.ts';
import { createBuiltinTools } from '../tools/builtin.ts';
import { WORKER_MARKER } from '../tools/shell/call-environment.ts';
import { createCommandTool } from '../tools/commands/command-tools.ts';
import type { HookMeans } from '../tools/commands/hook-command.ts';
import type { Redactor } from '../tools/redaction/redaction.ts';
import { secretsOf } from '../tools/redaction/secrets-of.ts';
import { createRegistry, type Registry } from '../tools/registry.ts';
import { safeName } from '../tools/safe-name.ts';
import { createSandbox, type Sandbox } from '../tools/sandbox/sandbox.ts';
import type { Tool } from '../tools/tool.ts';
import { createLearningRedactor } from './learning-redactor.ts';
import { knownToolNames } from './known-tools.ts';
import { searchOptions } from './search-options.ts';
import { sandboxByWorkspace } from './workspace-sandbox.ts';

export interface ToolingOptions {
  readonly environment: Environment;
  readonly dataFolder: string;
  /** Id of this incarnation of the worker; everything that is started carries it. */
  readonly worker: string;
  /** Tools besides the built-in ones. */
  readonly tools?: readonly Tool[];
  /** Confines commands; made from the settings when left out. */
  readonly sandbox?: Sandbox;
}

/** All that a worker's tools need, put together. */
export interface Tooling {
  readonly registry: Registry;
  readonly redactor: Redactor;
  readonly yoloEnabled: boolean;
  /** What the hooks of the operator are run with. */
  readonly hooks: HookMeans;
  readonly close: () => Promise<void>;
}

/** @throws {ConfigError} the settings of the operator or the user cannot be used */
export async function openTooling(options: ToolingOptions): Promise<Tooling> {
  const { environment, dataFolder, worker, tools = [] } = options;
  const redactor = createLearningRedactor(secretsOf(environment));
  const readLayers = layersReader(options);
  const settings = await readLayers(dataFolder);
  const webSearch = searchOptions(settings.webSearch, environment);
  if (webSearch?.key !== undefined) redactor.learn(webSearch.key.value);
  const sandbox = options.sandbox ?? confineByWorkspace(options, { settings, readLayers });
  // Trying the sandbox takes a third of a second, which the first command need not wait for.
  sandbox.problem(dataFolder).catch(() => undefined);
  const pool = createMcpPool({
    find: async ({ config, workspace }) => await findMcpServer({ dataFolder, workspace, digest: config }),
    environment,
    markers: { [WORKER_MARKER]: worker },
    onSecret: redactor.learn,
  });
  const builtin = createBuiltinTools({
    environment,
    sandbox,
    memoryFolder: memoryFolders(dataFolder),
    ...(webSearch !== undefined && { webSearch }),
  });
  return {
    registry: createRegistry(
      [...builtin, ...tools],
      (definition) => createMcpTool(definition, pool) ?? createCommandTool(definition, { environment, sandbox }),
    ),
    redactor,
    yoloEnabled: settings.yoloEnabled,
    hooks: { environment, sandbox, unconfined: settings.hooksUnconfined },
    close: async () => void (await Promise.all([pool.close(), options.sandbox === undefined && sandbox.close()])),
  };
}

/** Each agent has a memory of its own, apart from every workspace. */
export function memoryFolders(dataFolder: string): (agent: string) => string {
  return (agent) => join(dataFolder, 'memory', safeName(agent));
}

/** What a project's settings say about the network holds for every run in it, from the next command on. */
function confineByWorkspace(
  { environment, dataFolder }: ToolingOptions,
  { settings, readLayers }: { readonly settings: SettingsLayers; readonly readLayers: ReadLayers },
): Sandbox {
  const { allowedDomains } = settings.sandbox;
  return sandboxByWorkspace({
    allowedDomains,
    domainsOf: async (root) => (await readLayers(root)).sandbox.allowedDomains,
    create: (domains) => createSandbox({ environment, allowedDomains: domains, hidden: [dataFolder] }),
  });
}

type ReadLayers = (folder: string) => Promise<SettingsLayers>;

/** Settings are read for every command, the names that rules may be about only once. */
function layersReader({ environment, dataFolder }: ToolingOptions): ReadLayers {
  const knownTools = knownToolNames(environment);
  return async (folder) =>
    await readSettingsLayers({
      folder,
      env: environment,
      home: userHome(environment),
      knownTools,
      isTrusted: async (seen) => (await trustOf({ dataFolder, folder, seen })).kind === 'trusted',
    });
}
