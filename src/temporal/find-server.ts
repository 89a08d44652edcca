import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Environment } from '../config/environment.ts';
import { cachedBinaries } from './binary-cache.ts';
import { buildWithGo } from './go-install.ts';
import { lastLine, runCommand } from './run-command.ts';
import { downloadWithSdk } from './sdk-download.ts';

/** Where a server may come from, in the order in which the places are asked. */
export type ServerStep = 'address' | 'path' | 'cache' | 'download' | 'go';

/** One place that was asked, and what came of it. */
export interface Tried {
  readonly step: ServerStep;
  readonly outcome: 'found' | 'absent' | 'unusable' | 'failed' | 'skipped';
  readonly detail: string;
}

export interface FoundBinary {
  readonly path: string;
  readonly how: ServerStep;
  /** What `temporal --version` printed. */
  readonly version: string;
}

export interface FoundServer {
  readonly found: FoundBinary | null;
  readonly tried: readonly Tried[];
}

export interface FindServerOptions {
  readonly cacheFolder: string;
  readonly env: Environment;
  readonly onProgress: (line: string) => void;
  /** False only looks and changes nothing, as `nightshift doctor` does. */
  readonly install?: boolean;
  /** Milliseconds the download may take. */
  readonly downloadTimeoutMs?: number;
}

/** What a place has to offer: files to try in order, or the reason why there are none. */
export type Offer =
  | { readonly kind: 'files'; readonly paths: readonly string[] }
  | { readonly kind: 'none'; readonly outcome: Exclude<Tried['outcome'], 'found'>; readonly detail: string };

type Place = readonly [step: ServerStep, ask: (options: FindServerOptions) => Promise<Offer>];

const PLACES: readonly Place[] = [
  ['path', filesOnPath],
  ['cache', async ({ cacheFolder }) => files(await cachedBinaries(cacheFolder), `nothing in ${cacheFolder}`)],
  ['download', async (options) => (options.install === false ? NOT_ASKED : await downloadWithSdk(options))],
  ['go', async (options) => (options.install === false ? NOT_ASKED : await buildWithGo(options))],
];

const NOT_ASKED: Offer = { kind: 'none', outcome: 'skipped', detail: 'only looking, nothing is installed' };

/**
 * Finds a Temporal CLI that runs: on PATH, in our cache, by the SDK's download, or built by Go. A configured address
 * is the caller's business, because then nothing is started at all.
 */
export async function findServerBinary(options: FindServerOptions): Promise<FoundServer> {
  const tried: Tried[] = [];
  for (const [step, ask] of PLACES) {
    const offer = await ask(options);
    if (offer.kind === 'none') {
      tried.push({ step, outcome: offer.outcome, detail: offer.detail });
      continue;
    }
    const found = await firstThatRuns({ step, paths: offer.paths, env: options.env }, tried);
    if (found !== null) return { found, tried };
  }
  return { found: null, tried };
}

interface Candidates {
  readonly step: ServerStep;
  readonly paths: readonly string[];
  readonly env: Environment;
}

async function firstThatRuns({ step, paths, env }: Candidates, tried: Tried[]): Promise<FoundBinary | null> {
  for (const path of paths) {
    const check = await checkBinary(path, env);
    if ('reason' in check) {
      tried.push({ step, outcome: 'unusable', detail: `${path}: ${check.reason}` });
      continue;
    }
    tried.push({ step, outcome: 'found', detail: `${path} (${check.version})` });
    return { path, how: step, version: check.version };
  }
  return null;
}

async function checkBinary(path: string, env: Environment): Promise<{ version: string } | { reason: string }> {
  const end = await runCommand({ file: path, arguments: ['--version'], env, timeoutMs: 20_000 });
  if (end.kind === 'not_started') return { reason: `does not start, ${end.reason}` };
  if (end.kind !== 'exited') return { reason: 'does not answer --version within 20 s' };
  if (end.code !== 0) return { reason: `--version ends with ${end.code ?? 'a signal'}, ${lastLine(end.output)}` };
  if (!end.output.startsWith('temporal version')) return { reason: 'is not the Temporal CLI' };
  return { version: lastLine(end.output) };
}

async function filesOnPath({ env }: FindServerOptions): Promise<Offer> {
  const folders = (env['PATH'] ?? env['Path'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const candidates = [...new Set(folders)].map((folder) => join(folder, BINARY_NAME));
  const present = await Promise.all(candidates.map(isExecutable));
  return files(
    candidates.filter((_, index) => present[index]),
    'no "temporal" on PATH',
  );
}

const BINARY_NAME = process.platform === 'win32' ? 'temporal.exe' : 'temporal';

function files(paths: readonly string[], otherwise: string): Offer {
  return paths.length > 0 ? { kind: 'files', paths } : { kind: 'none', outcome: 'absent', detail: otherwise };
}

async function isExecutable(path: string): Promise<boolean> {
  return await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
