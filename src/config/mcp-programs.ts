import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve } from 'node:path';
import type { McpServer } from '../contract/mcp-server.ts';

type ProcessServer = Extract<McpServer, { type: 'stdio' }>;

/** Arguments that are run, and not only read, by what is started. */
const SCRIPT = /\.(?:[cm]?[jt]sx?|py|rb|sh|bash|pl|php|lua|jar|wasm)$/iu;

/** Of all servers of a folder; more are no command lines. */
const WORDS_MAX = 2_000;

/**
 * Digest of each program in a folder that servers are started with, by its path in it: their commands, and arguments that
 * are scripts. What those load in turn is not looked at. Names in variables are not filled in.
 */
export async function programsIn(
  folder: string,
  servers: readonly McpServer[],
): Promise<Readonly<Record<string, string>>> {
  const named = servers.flatMap((server) => (server.type === 'stdio' ? pathsOf(folder, server) : []));
  const digests = await Promise.all(
    named.slice(0, WORDS_MAX).map(async (path) => [path, await programDigest(folder, path)] as const),
  );
  return Object.fromEntries(digests.filter((found): found is [string, string] => found[1] !== undefined));
}

/** Digest of a file of a folder that can be run; undefined of all else. */
export async function programDigest(folder: string, path: string): Promise<string | undefined> {
  // Without O_NONBLOCK a named pipe in its place would keep us waiting for ever.
  const file = await open(join(folder, path), constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    return (await file.stat()).isFile() ? await digestOf(file) : undefined;
  } catch {
    return undefined;
  } finally {
    await file.close();
  }
}

function pathsOf(folder: string, { command, args, env, cwd = '.' }: ProcessServer): readonly string[] {
  const words = [...args, ...Object.values(env)].flatMap((text) => [text, ...text.split(/[\s=:,]+/u)]);
  const scripts = words.filter((word) => SCRIPT.test(word));
  return [command, ...scripts]
    .map((word) => relative(folder, resolve(folder, cwd, word)))
    .filter((path) => path !== '' && !path.startsWith('..') && !isAbsolute(path));
}

async function digestOf(file: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of file.createReadStream({ autoClose: false })) hash.update(piece as Buffer);
  return `sha256:${hash.digest('hex')}`;
}
