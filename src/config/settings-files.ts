import { isAbsolute, join, resolve } from 'node:path';
import type { PolicyLayer, PolicyMode } from '../contract/spec.ts';
import type { Hook } from '../contract/terms.ts';
import { moneyOf, type MoneySettings } from './budgets.ts';
import { ConfigError } from './config-error.ts';
import type { Environment } from './environment.ts';
import { hooksOf } from './hook-settings.ts';
import { isLoose, strictestMode } from './policy-mode.ts';
import { readSettingsFile, type SettingsFile } from './settings-file.ts';
import type { SettingsFileData } from './settings-schema.ts';

/** The project's own settings, in the folder that runs work in. */
const PROJECT_SETTINGS = 'nightshift.yaml';

const OPERATOR_SETTINGS = '/etc/nightshift/settings.yaml';

export interface SettingsPlaces {
  /** The folder of the project. */
  readonly folder: string;
  readonly env: Environment;
  readonly home: string;
  /** Our names of the tools that are known by now. */
  readonly knownTools: readonly string[];
  /** Whether the operator trusts the project with exactly what was read: digests by the name of the file. */
  readonly isTrusted: (seen: Readonly<Record<string, string>>) => boolean | Promise<boolean>;
}

/** The commands by which a layer brings tools of its own. */
export interface ToolCommands {
  readonly discover: string;
  readonly call: string;
  readonly source: string;
}

export type WebSearchSettings = NonNullable<SettingsFileData['webSearch']>;

/** What the settings of operator, user and project say together. */
export interface SettingsLayers extends MoneySettings {
  /** The uppermost first; layers without rules are left out. */
  readonly layers: readonly PolicyLayer[];
  /** The strictest mode any of them asks for. */
  readonly mode?: PolicyMode;
  readonly yoloEnabled: boolean;
  readonly sandbox: { readonly allowedDomains: readonly string[] };
  readonly tools: readonly ToolCommands[];
  readonly webSearch?: WebSearchSettings;
  /** Those of the uppermost layer first; no two have one name. */
  readonly hooks: readonly Hook[];
  readonly hooksUnconfined: boolean;
  /** One line each about what was read and is not used. */
  readonly notices: readonly string[];
}

/**
 * Reads the settings of all layers. What a project says may narrow; where it would allow or start something, it is used
 * only when the project is trusted.
 *
 * @throws {ConfigError} a file cannot be used; the rules in it would not be kept
 */
export async function readSettingsLayers(places: SettingsPlaces): Promise<SettingsLayers> {
  const [operator, user, project] = await readAll(places);
  const notices: string[] = [];
  const yoloEnabled = operator?.data.allowYolo === true || operator?.data.mode === 'yolo';
  const isTrusted = project === undefined || (await places.isTrusted({ [PROJECT_SETTINGS]: project.digest }));
  const used = [operator, user && ofUser(user, notices), project && ofProject(project, { isTrusted, notices })];
  const files = used.filter((file) => file !== undefined).map((file) => withMode(file, { yoloEnabled, notices }));
  const mode = strictestMode(files.map(({ data }) => data.mode));
  const webSearch = files.find(({ data }) => data.webSearch !== undefined)?.data.webSearch;
  return {
    layers: files.flatMap(layerOf),
    ...(mode !== undefined && { mode }),
    yoloEnabled,
    sandbox: { allowedDomains: domainsOf(files) },
    tools: files.flatMap(({ path, data }) => (data.tools === undefined ? [] : [{ ...data.tools, source: path }])),
    ...(webSearch !== undefined && { webSearch }),
    ...moneyOf(files),
    hooks: hooksOf(files, places.knownTools),
    hooksUnconfined: files.some(({ data }) => data.hooksUnconfined === true),
    notices,
  };
}

/** Where the settings of each layer are looked for. */
function settingsPaths({ folder, env, home }: Pick<SettingsPlaces, 'folder' | 'env' | 'home'>): {
  readonly operator: { readonly path: string; readonly named: boolean };
  readonly user: string;
  readonly project: string;
} {
  const named = env['NIGHTSHIFT_OPERATOR_SETTINGS'] ?? '';
  const own = env['NIGHTSHIFT_HOME'] ?? '';
  const config = env['XDG_CONFIG_HOME'] ?? '';
  const userFolder = isAbsolute(config) ? join(config, 'nightshift') : join(home, '.config', 'nightshift');
  return {
    operator: { path: named === '' ? OPERATOR_SETTINGS : resolve(named), named: named !== '' },
    user: join(own === '' ? userFolder : resolve(own), 'settings.yaml'),
    project: join(folder, PROJECT_SETTINGS),
  };
}

/** All that is wrong in any file is said at once. */
async function readAll(places: SettingsPlaces): Promise<readonly (SettingsFile | undefined)[]> {
  const { operator, user, project } = settingsPaths(places);
  const { knownTools } = places;
  const read = await Promise.allSettled([
    readSettingsFile({ layer: 'operator', path: operator.path, required: operator.named, knownTools }),
    readSettingsFile({ layer: 'user', path: user, required: false, knownTools }),
    readSettingsFile({ layer: 'project', path: project, required: false, knownTools }),
  ]);
  const failed = read.filter((one) => one.status === 'rejected').map(({ reason }): unknown => reason);
  const [first, ...others] = failed;
  if (first instanceof ConfigError && others.every((error) => error instanceof ConfigError))
    throw others.length === 0 ? first : joined([first, ...others]);
  if (first !== undefined) throw first;
  return read.map((one) => (one.status === 'fulfilled' ? one.value : undefined));
}

function joined(errors: readonly ConfigError[]): ConfigError {
  const problems = errors.flatMap(({ source, problems }) => problems.map((problem) => `${source}: ${problem}`));
  return new ConfigError('settings', problems);
}

function ofUser(file: SettingsFile, notices: string[]): SettingsFile {
  return without(file, {
    keys: ['allowYolo', 'hooksUnconfined'],
    notices,
    why: "only the operator's settings can say it",
  });
}

function ofProject(
  file: SettingsFile,
  { isTrusted, notices }: { readonly isTrusted: boolean; readonly notices: string[] },
): SettingsFile {
  const why = "only the operator's and the user's settings can say it";
  const operators = without(file, {
    keys: ['hooksUnconfined'],
    notices,
    why: "only the operator's settings can say it",
  });
  const plain = without(operators, { keys: ['allowYolo', 'webSearch', 'prices', 'allowUnpriced'], notices, why });
  return isTrusted ? plain : narrowingOnly(plain, notices);
}

/** What a project nobody trusts may still say: what is to be asked or denied, and a mode that is no looser. */
function narrowingOnly(file: SettingsFile, notices: string[]): SettingsFile {
  const { policy, mode, tools, hooks, ...rest } = file.data;
  const isModeLoose = mode !== undefined && isLoose(mode);
  const unused = {
    'policy.allow': (policy?.allow ?? []).length > 0,
    mode: isModeLoose,
    tools: tools !== undefined,
    hooks: hooks !== undefined,
  };
  for (const [key, isUnused] of Object.entries(unused)) {
    if (isUnused)
      notices.push(`${file.path}: ${key} is not used: the folder is not trusted; "nightshift mcp trust" trusts it`);
  }
  return { ...file, data: { ...rest, ...(isModeLoose ? {} : given({ mode })), policy: { ...policy, allow: [] } } };
}

function given(values: { readonly mode: PolicyMode | undefined }): { readonly mode?: PolicyMode } {
  return values.mode === undefined ? {} : { mode: values.mode };
}

function without(
  file: SettingsFile,
  { keys, notices, why }: { readonly keys: readonly string[]; readonly notices: string[]; readonly why: string },
): SettingsFile {
  const present = keys.filter((key) => key in file.data);
  for (const key of present) notices.push(`${file.path}: ${key} is not used: ${why}`);
  const data = Object.fromEntries(Object.entries(file.data).filter(([key]) => !present.includes(key)));
  return { ...file, data };
}

function withMode(
  file: SettingsFile,
  { yoloEnabled, notices }: { readonly yoloEnabled: boolean; readonly notices: string[] },
): SettingsFile {
  if (file.data.mode !== 'yolo' || yoloEnabled) return file;
  notices.push(`${file.path}: mode is not used: only the operator's settings can enable "yolo"`);
  const { mode: _mode, ...data } = file.data;
  return { ...file, data };
}

function layerOf({ layer, path, data }: SettingsFile): readonly PolicyLayer[] {
  const { allow = [], ask = [], deny = [] } = data.policy ?? {};
  return allow.length + ask.length + deny.length === 0 ? [] : [{ layer, source: path, allow, ask, deny }];
}

/** A list narrows the list of the layer above; a project alone opens nothing. */
function domainsOf(files: readonly SettingsFile[]): readonly string[] {
  let open: readonly string[] | undefined;
  for (const { layer, data } of files) {
    const list = data.sandbox?.allowedDomains;
    if (list === undefined) continue;
    if (open === undefined) open = layer === 'project' ? [] : list;
    else open = meet(open, list);
  }
  return open ?? [];
}

/** What both lists allow: of two entries the narrower one. */
function meet(above: readonly string[], below: readonly string[]): readonly string[] {
  const narrowed = below.filter((host) => above.some((other) => includes(other, host)));
  const kept = above.filter((host) => below.some((other) => includes(other, host)));
  return [...new Set([...narrowed, ...kept])];
}

function includes(pattern: string, host: string): boolean {
  return pattern === host || (pattern.startsWith('*.') && host.endsWith(pattern.slice(1)));
}
