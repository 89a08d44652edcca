import { SECRET_NAME, type McpServer } from '../contract/mcp-server.ts';

/** Environment variables by name, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface Surroundings {
  readonly environment: Environment;
  /** What `${workspaceFolder}` stands for. */
  readonly workspace: string;
}

export interface Expanded {
  readonly server: McpServer;
  /** Values that nobody but the server may see. */
  readonly secrets: readonly string[];
}

const VARIABLE = /\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/gu;
const ANY = /\$\{[^}]*\}/u;

/** Variables whose values are no secrets, and too common to be hidden wherever they appear. */
const HARMLESS = /^(?:HOME|PATH|PWD|USER|LOGNAME|SHELL|TERM|TMPDIR|TZ|LANG|LC_\w+|XDG_\w+|NODE_ENV)$/u;

/** Shorter values are words, and hiding them would make everything unreadable. */
const SECRET_CHARACTERS_MIN = 6;

/**
 * Fills `${VAR}`, `${VAR:-default}` and `${workspaceFolder}` into the configuration of a server, at the moment it is
 * connected and nowhere else. Throws an error that names the variable, and never shows a value, when one is not set.
 */
export function expandServer(server: McpServer, { environment, workspace }: Surroundings): Expanded {
  const secrets = new Set<string>(writtenSecrets(server));
  const expand = (text: string): string =>
    text.replaceAll('${workspaceFolder}', workspace).replaceAll(VARIABLE, (_, name: string, fallback?: string) => {
      const value = environment[name];
      if (value !== undefined && value !== '') {
        if (!HARMLESS.test(name)) addSecret(secrets, value);
        return value;
      }
      if (fallback !== undefined) return fallback;
      throw new Error(`Cannot connect to "${server.name}": the environment variable "${name}" is not set`);
    });
  const expanded = mapTexts(server, (text) => {
    const unknown = ANY.exec(text.replaceAll('${workspaceFolder}', '').replaceAll(VARIABLE, ''));
    if (unknown === null) return expand(text);
    throw new Error(`Cannot connect to "${server.name}": "${unknown[0]}" is not an environment variable`);
  }) as McpServer;
  return { server: { ...expanded, name: server.name }, secrets: [...secrets] };
}

/** Replaces each secret in a text that people or the model get to see. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .toSorted((a, b) => b.length - a.length)
    .reduce((clean, secret) => clean.replaceAll(secret, '[hidden]'), text);
}

/** Where servers put words for people and models. What is no word, such as a choice, must come back as it is. */
const WORDS = ['description', 'title', 'default', 'instructions', 'message'];

/** The same in all words of something a server said. */
export function wordsWithoutSecrets<T>(said: T, secrets: readonly string[]): T {
  return JSON.parse(JSON.stringify(said), (key, member: unknown) =>
    typeof member === 'string' && WORDS.includes(key) ? withoutSecrets(member, secrets) : member,
  ) as T;
}

function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, mapTexts(member, map)]));
}

/** Secrets that stand in the file itself; those with a variable in them are learnt when it is filled in. */
function writtenSecrets(server: McpServer): readonly string[] {
  const named = server.type === 'stdio' ? server.env : server.headers;
  const secrets = new Set<string>();
  for (const [name, value] of Object.entries(named)) {
    if (SECRET_NAME.test(name) && !ANY.test(value)) addSecret(secrets, value.replace(/^(?:Bearer|Basic)\s+/iu, ''));
  }
  if (server.type === 'stdio' || server.auth === undefined) return [...secrets];
  const { auth } = server;
  const written = auth.type === 'client_credentials' ? auth.clientSecret : auth.privateKey;
  if (!ANY.test(written)) addSecret(secrets, written);
  return [...secrets];
}

function addSecret(secrets: Set<string>, value: string): void {
  if (value.length >= SECRET_CHARACTERS_MIN) secrets.add(value);
}
