import { open, readdir } from 'node:fs/promises';
import { basename, isAbsolute, join, relative, resolve } from 'node:path';
import { SPEC_BYTES_MAX } from '../contract/limits.ts';
import { type AgentFile, parseAgentFile } from './agent-file.ts';
import { ConfigError } from './config-error.ts';
import { didYouMean } from './suggest.ts';

export interface AgentPlaces {
  /** The folder in which the command was given. */
  readonly folder: string;
  readonly home: string;
  /** Our names of all tools that exist. */
  readonly knownTools: readonly string[];
}

/**
 * Finds an agent by its name (the file's name without `.md`) or by a path, and reads it. The first place wins; files
 * of the same name in later places are named in the notices.
 *
 * @throws {ConfigError} there is no such file, or it cannot be used
 */
export async function findAgentFile(nameOrPath: string, places: AgentPlaces): Promise<AgentFile> {
  if (isPath(nameOrPath)) return await readAgentFile(resolve(places.folder, nameOrPath), places);
  const candidates = (await listAgentFiles(places)).filter((path) => basename(path, '.md') === nameOrPath);
  const [first, ...shadowed] = candidates;
  if (first === undefined) throw new ConfigError(nameOrPath, [await notFound(nameOrPath, places)]);
  const agent = await readAgentFile(first, places);
  const notices = shadowed.map((path) => `${shortPath(path, places)} is not used: ${agent.source} comes first`);
  return { ...agent, notices: [...notices, ...agent.notices] };
}

/** Absolute paths of all agent files, in the order in which they win. */
export async function listAgentFiles(places: AgentPlaces): Promise<readonly string[]> {
  const lists = await Promise.all(
    agentFolders(places).map(async (folder) => {
      const names = await readdir(folder).catch(() => []);
      return names
        .filter((name) => name.endsWith('.md'))
        .toSorted()
        .map((name) => join(folder, name));
    }),
  );
  return [...new Set(lists.flat())];
}

function agentFolders({ folder, home }: AgentPlaces): readonly string[] {
  return [
    join(folder, 'agents'),
    join(folder, '.agents', 'agents'),
    join(folder, '.claude', 'agents'),
    join(home, '.claude', 'agents'),
  ];
}

function isPath(nameOrPath: string): boolean {
  return /[/\\]/.test(nameOrPath) || nameOrPath.endsWith('.md');
}

async function readAgentFile(path: string, places: AgentPlaces): Promise<AgentFile> {
  const source = shortPath(path, places);
  return parseAgentFile({ text: await readBounded(path, source), source, knownTools: places.knownTools });
}

/** A definition that is too large for a run is refused before it is read whole. */
async function readBounded(path: string, source: string): Promise<string> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError(source, [
      error.code === 'ENOENT' ? 'there is no such file' : `it cannot be read, ${error.code}`,
    ]);
  });
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw new ConfigError(source, ['it is not a file']);
    if (stats.size > SPEC_BYTES_MAX) {
      throw new ConfigError(source, [`it has ${stats.size} bytes; expected at most ${SPEC_BYTES_MAX}`]);
    }
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

async function notFound(name: string, places: AgentPlaces): Promise<string> {
  const known = (await listAgentFiles(places)).map((path) => basename(path, '.md'));
  const folders = agentFolders(places).map((folder) => shortPath(folder, places));
  return `there is no agent of this name in ${folders.join(', ')}${didYouMean(name, known)}`;
}

function shortPath(path: string, { folder, home }: AgentPlaces): string {
  for (const [base, prefix] of [
    [folder, ''],
    [home, '~/'],
  ] as const) {
    const short = relative(base, path);
    if (short !== '' && !short.startsWith('..') && !isAbsolute(short)) return prefix + short;
  }
  return path;
}
