import { basename } from 'node:path';
import type * as z from 'zod';
import { type AgentSettings, agentSettingsSchema, effortSchema, SETTINGS_KEYS, turnsSchema } from './agent-settings.ts';
import type { PolicyMode } from '../contract/spec.ts';
import { ConfigError } from './config-error.ts';
import { parseFrontMatter } from './front-matter.ts';
import { CLAUDE_MODES } from './policy-mode.ts';
import { didYouMean } from './suggest.ts';
import { normaliseRule, toolName } from './tool-names.ts';
import { shown, zodProblems } from './zod-problems.ts';

/** An agent as its file defines it. Names of tools are ours; durations are milliseconds. */
export interface AgentFile {
  readonly name: string;
  readonly description: string;
  /** Where it was found. */
  readonly source: string;
  /** The text below the front matter. */
  readonly prompt: string;
  readonly model: string | null;
  /** Null means all tools of the default set. */
  readonly tools: readonly string[] | null;
  readonly disallowedTools: readonly string[];
  readonly effort: z.infer<typeof effortSchema> | null;
  readonly maxTurns: number | null;
  readonly settings: AgentSettings;
  /** One line each about what was read and is not used as written. */
  readonly notices: readonly string[];
}

export interface AgentText {
  readonly text: string;
  readonly source: string;
  /** Our names of all tools that exist. */
  readonly knownTools: readonly string[];
}

const KEYS = [
  'name',
  'description',
  'model',
  'tools',
  'disallowedTools',
  'maxTurns',
  'effort',
  'permissionMode',
  'x-nightshift',
];
const NOT_USED_YET = ['hooks', 'memory', 'background', 'isolation', 'initialPrompt', 'color', 'skills', 'mcpServers'];

const ONLY_OPERATOR = 'not used; only the settings of the operator can enable the mode "yolo"';

const NAME = /^[a-zA-Z0-9][a-zA-Z0-9 ._-]{0,63}$/;

/**
 * Reads an agent file: Markdown with YAML front matter, as Claude Code has it, plus our own key `x-nightshift`.
 *
 * @throws {ConfigError} with every problem of the file, a line each
 */
export function parseAgentFile(agent: AgentText): AgentFile {
  const front = parseFrontMatter(agent.text);
  if (front.kind === 'broken') throw new ConfigError(agent.source, [front.problem]);
  const reader = new Reader(front.data, agent.knownTools);
  reader.checkKeys();
  const file: AgentFile = {
    name: reader.name(basename(agent.source, '.md')),
    description: reader.text('description') ?? '',
    source: agent.source,
    prompt: reader.prompt(front.body),
    model: reader.model(),
    tools: reader.tools('tools'),
    disallowedTools: reader.tools('disallowedTools') ?? [],
    effort: reader.parsed('effort', effortSchema),
    maxTurns: reader.parsed('maxTurns', turnsSchema),
    settings: reader.settings(),
    notices: reader.notices,
  };
  if (reader.problems.length > 0) throw new ConfigError(agent.source, reader.problems);
  return file;
}

/** Reads one front matter and collects all that is wrong with it, so that a person mends everything at once. */
class Reader {
  readonly problems: string[] = [];
  readonly notices: string[] = [];
  readonly #data: Readonly<Record<string, unknown>>;
  readonly #knownTools: readonly string[];

  constructor(data: Readonly<Record<string, unknown>>, knownTools: readonly string[]) {
    this.#data = data;
    this.#knownTools = knownTools;
  }

  checkKeys(): void {
    for (const key of Object.keys(this.#data)) {
      if (NOT_USED_YET.includes(key)) this.notices.push(`${key}: not used here yet`);
      else if (!KEYS.includes(key)) this.problems.push(`${key}: there is no such key${didYouMean(key, KEYS)}`);
    }
  }

  text(key: string): string | null {
    const value = this.#data[key];
    if (value === undefined || value === null) return null;
    if (typeof value === 'string') return value.trim();
    this.problems.push(`${key}: expected text, got ${shown(value)}`);
    return null;
  }

  name(fallback: string): string {
    const name = this.text('name') ?? fallback;
    if (NAME.test(name)) return name;
    this.problems.push(
      `name: expected 1 to 64 letters, digits, spaces, ".", "_" or "-", beginning with a letter or digit, got ${shown(name)}`,
    );
    return name;
  }

  prompt(body: string): string {
    if (body === '')
      this.problems.push('it has no text below the front matter; expected the instructions of the agent');
    return body;
  }

  /** `inherit` is Claude Code's word for "whatever the caller uses". */
  model(): string | null {
    const model = this.text('model');
    return model === 'inherit' || model === '' ? null : model;
  }

  /** A list, or names with commas between them as Claude Code writes it. */
  tools(key: 'tools' | 'disallowedTools'): readonly string[] | null {
    const value = this.#data[key];
    if (value === undefined || value === null || value === '*') return null;
    const written = typeof value === 'string' ? splitNames(value) : value;
    if (!Array.isArray(written) || !written.every((name) => typeof name === 'string')) {
      this.problems.push(`${key}: expected names of tools, got ${shown(value)}`);
      return null;
    }
    return this.#renamed(key, written, toolName);
  }

  parsed<T>(key: string, schema: z.ZodType<T>): T | null {
    const value = this.#data[key];
    if (value === undefined || value === null) return null;
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    this.problems.push(...zodProblems(result.error, { at: key, input: value, keysOf: () => [] }));
    return null;
  }

  settings(): AgentSettings {
    const input = this.#data['x-nightshift'] ?? {};
    const result = agentSettingsSchema.safeParse(input);
    if (!result.success) {
      const context = { at: 'x-nightshift', input, keysOf: (path: string) => SETTINGS_KEYS[path] ?? [] };
      this.problems.push(...zodProblems(result.error, context));
      return {};
    }
    const { policy, mode: ownMode, ...rest } = result.data;
    const mode = this.#mode(ownMode);
    return { ...rest, ...(mode && { mode }), ...(policy && { policy: this.#policy(policy) }) };
  }

  /** Our own key stands above Claude Code's. No file of an agent can have everything run unasked. */
  #mode(own: PolicyMode | undefined): PolicyMode | undefined {
    const written = this.#data['permissionMode'];
    if (own === 'yolo') this.notices.push(`x-nightshift.mode: ${ONLY_OPERATOR}`);
    if (written === 'bypassPermissions') this.notices.push(`permissionMode: ${ONLY_OPERATOR}`);
    else if (!CLAUDE_MODES.has(written))
      this.notices.push(
        `permissionMode: ${shown(written)} is treated as "default"; x-nightshift.policy says what may run unasked`,
      );
    return own === undefined || own === 'yolo' ? CLAUDE_MODES.get(written) : own;
  }

  #policy(policy: NonNullable<AgentSettings['policy']>): NonNullable<AgentSettings['policy']> {
    const parts = (['allow', 'ask', 'deny'] as const).map((part) => {
      return [part, this.#renamed(`x-nightshift.policy.${part}`, policy[part] ?? [], normaliseRule)];
    });
    return Object.fromEntries(parts) as NonNullable<AgentSettings['policy']>;
  }

  #renamed(key: string, written: readonly string[], rename: typeof toolName): readonly string[] {
    return written.flatMap((name) => {
      const named = rename(name, this.#knownTools);
      if (named.kind === 'name') return [named.name];
      this.problems.push(`${key}: ${named.problem}`);
      return [];
    });
  }
}

function splitNames(text: string): readonly string[] {
  return text.split(/,(?![^(]*\))/).flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));
}
