import { createHash } from 'node:crypto';
import { realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { ConfigError } from './config-error.ts';
import { MCP_FILES, readFileText } from './mcp-files.ts';
import { programDigest } from './mcp-programs.ts';
import { readMcpServers } from './mcp-servers.ts';
import { readKeptJson, writeKeptJson } from './mcp-kept-json.ts';

/** Files of a folder that decide what is started or allowed in it. Programs that they start from the folder come beside them. */
const TRUSTED_FILES = [...MCP_FILES, 'nightshift.yaml'] as const;

/**
 * Whether the operator said that what this folder defines may be started. `changed`: it was said about other contents
 * of the named files, and counts no more.
 */
export interface Trust {
  readonly kind: 'trusted' | 'untrusted' | 'changed';
  /** Real path of the folder. */
  readonly folder: string;
  /** The files there are; of a folder that changed, those that differ, which may be gone. */
  readonly files: readonly string[];
}

export interface TrustPlace {
  readonly dataFolder: string;
  readonly folder: string;
}

/** What was read, by file name, so that trust is judged about what is used and not about what stands there by now. */
export type SeenFiles = Readonly<Record<string, string>>;

const keptSchema = z.strictObject({
  version: z.literal(1),
  folder: z.string(),
  files: z.record(z.string(), z.string()),
  at: z.string(),
});

/**
 * Looks whether a folder is trusted. Trust is bound to the real path and to the contents of the files, so that neither
 * a link nor a later commit can use it for something else. A folder without any of the files starts nothing.
 */
export async function trustOf({ dataFolder, folder, seen = {} }: TrustPlace & { seen?: SeenFiles }): Promise<Trust> {
  const real = await realFolder(folder);
  const found: SeenFiles = { ...(await digestsOf(real)), ...seen };
  const kept = await readTrust({ dataFolder, folder: real });
  if (kept === undefined) return { kind: 'untrusted', folder: real, files: Object.keys(found) };
  const differing = [...new Set([...Object.keys(found), ...Object.keys(kept)])].filter(
    (name) => found[name] !== kept[name],
  );
  if (differing.length > 0) return { kind: 'changed', folder: real, files: differing };
  return { kind: 'trusted', folder: real, files: Object.keys(found) };
}

/**
 * Whether the operator's word about a folder stands for what was defined in it then, whatever it defines by now. The
 * programs it was said about are still the same.
 */
export async function wasTrusted({ dataFolder, folder }: TrustPlace): Promise<boolean> {
  const real = await realpath(folder).catch(() => folder);
  const kept = await readTrust({ dataFolder, folder: real });
  if (kept === undefined) return false;
  const programs = Object.entries(kept).filter(([name]) => !TRUSTED_FILES.some((file) => file === name));
  const now = await Promise.all(programs.map(async ([path]) => await programDigest(real, path)));
  return programs.every(([, digest], index) => now[index] === digest);
}

/** Trusts what the folder holds now, or what was shown to the operator when that is given. */
export async function grantTrust({
  dataFolder,
  folder,
  seen,
  at,
}: TrustPlace & { readonly seen?: SeenFiles; readonly at: Date }): Promise<Trust> {
  const real = await realFolder(folder);
  const files = seen ?? (await digestsOf(real));
  await writeKeptJson(keptPath(dataFolder, real), { version: 1, folder: real, files, at: at.toISOString() });
  return { kind: 'trusted', folder: real, files: Object.keys(files) };
}

/** True when there was trust to revoke. It works for a folder that is gone, too. */
export async function revokeTrust({ dataFolder, folder }: TrustPlace): Promise<boolean> {
  const real = await realpath(folder).catch(() => folder);
  const was = (await readTrust({ dataFolder, folder: real })) !== undefined;
  await rm(keptPath(dataFolder, real), { force: true });
  return was;
}

/** The digests that were trusted, by file; undefined when none were, or when what is kept cannot be understood. */
async function readTrust({ dataFolder, folder }: TrustPlace): Promise<SeenFiles | undefined> {
  const kept = keptSchema.safeParse(await readKeptJson(keptPath(dataFolder, folder)));
  return kept.success && kept.data.folder === folder ? kept.data.files : undefined;
}

/** Digest of each of the files that the folder has, programs included. @throws {ConfigError} of one that cannot be read, nothing can be said */
async function digestsOf(folder: string): Promise<SeenFiles> {
  const digests = await Promise.all(
    TRUSTED_FILES.map(async (name) => {
      const read = await readFileText(folder, name);
      if (read.kind === 'missing') return [];
      if (read.kind === 'text') return [[name, read.digest] as const];
      throw new ConfigError(join(folder, name), [read.why]);
    }),
  );
  const { files } = await readMcpServers({ folder });
  return { ...files, ...Object.fromEntries(digests.flat()) };
}

async function realFolder(folder: string): Promise<string> {
  try {
    return await realpath(folder);
  } catch {
    throw new ConfigError(folder, ['there is no such folder']);
  }
}

/** One file a folder: two processes that decide about two folders never overwrite each other's word. */
function keptPath(dataFolder: string, realPath: string): string {
  const name = createHash('sha256').update(realPath).digest('hex').slice(0, 32);
  return join(dataFolder, 'trust', `${name}.json`);
}
