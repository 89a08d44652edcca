import { basename, dirname } from 'node:path';
import { parseDocument } from 'yaml';
import type { PolicyLayer } from '../contract/spec.ts';
import { ConfigError } from './config-error.ts';
import { readFileText } from './mcp-files.ts';
import { SETTINGS_FILE_KEYS, settingsSchema, type SettingsFileData } from './settings-schema.ts';
import { normaliseOpenRule } from './tool-names.ts';
import { zodProblems } from './zod-problems.ts';

export interface SettingsFile {
  readonly layer: PolicyLayer['layer'];
  readonly path: string;
  /** Of exactly the bytes that were read. */
  readonly digest: string;
  readonly data: SettingsFileData;
}

export interface SettingsPlace {
  readonly layer: PolicyLayer['layer'];
  readonly path: string;
  /** True when somebody said that it is there. */
  readonly required: boolean;
  readonly knownTools: readonly string[];
}

/**
 * Reads one settings file; undefined when there is none. Rules are given in our names.
 *
 * @throws {ConfigError} it cannot be read, or with every problem of it: rules that are not read would not be kept
 */
export async function readSettingsFile(place: SettingsPlace): Promise<SettingsFile | undefined> {
  const { layer, path, knownTools } = place;
  const file = await readText(place);
  if (file === undefined) return undefined;
  const input = parseYaml(path, file.text);
  const result = settingsSchema.safeParse(input);
  if (!result.success) {
    const context = { at: '', input, keysOf: (at: string) => SETTINGS_FILE_KEYS[at] ?? [] };
    throw new ConfigError(path, zodProblems(result.error, context).map(withoutColon));
  }
  return { layer, path, digest: file.digest, data: renamed(path, result.data, knownTools) };
}

async function readText({ path, required }: SettingsPlace): Promise<{ text: string; digest: string } | undefined> {
  const file = await readFileText(dirname(path), basename(path));
  if (file.kind === 'text') return file;
  if (file.kind === 'missing' && !required) return undefined;
  throw new ConfigError(path, [file.kind === 'missing' ? 'there is no such file' : `it cannot be read: ${file.why}`]);
}

function parseYaml(path: string, text: string): unknown {
  const refuse = (message: string): never => {
    throw new ConfigError(path, [`it is not YAML: ${(message.split('\n')[0] ?? '').replace(/:$/, '')}`]);
  };
  const document = parseDocument(text, { prettyErrors: true, uniqueKeys: true, strict: true });
  const error = document.errors[0];
  if (error !== undefined) return refuse(error.message);
  try {
    return (document.toJS({ maxAliasCount: 20 }) as unknown) ?? {};
  } catch (thrown) {
    return refuse(thrown instanceof Error ? thrown.message : String(thrown));
  }
}

/** A problem of the file as a whole has no key before it. */
function withoutColon(problem: string): string {
  return problem.replace(/^: /, '');
}

function renamed(path: string, data: SettingsFileData, knownTools: readonly string[]): SettingsFileData {
  if (data.policy === undefined) return data;
  const problems: string[] = [];
  const policy = Object.fromEntries(
    Object.entries(data.policy).map(([part, rules]) => {
      const named = (rules ?? []).flatMap((rule) => {
        const one = normaliseOpenRule(rule, knownTools);
        if (one.kind === 'name') return [one.name];
        problems.push(`policy.${part}: ${one.problem}`);
        return [];
      });
      return [part, named];
    }),
  );
  if (problems.length > 0) throw new ConfigError(path, problems);
  return { ...data, policy };
}
