import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { binaryFolder, builtBinary, CLI_VERSION } from './binary-cache.ts';
import type { FindServerOptions, Offer } from './find-server.ts';
import { lastLine, runCommand } from './run-command.ts';

/** A cold build takes about three minutes on two cores; a slow machine gets five times that. */
const BUILD_TIMEOUT_MS = 15 * 60_000;

const PROGRESS_EVERY_MS = 5_000;

/** Builds the official CLI from its Go module into our cache. */
export async function buildWithGo(options: FindServerOptions): Promise<Offer> {
  const { cacheFolder, env, onProgress } = options;
  const version = await runCommand({ file: 'go', arguments: ['version'], env, timeoutMs: 20_000 });
  if (version.kind !== 'exited' || version.code !== 0) return absent('no "go" on PATH');

  await mkdir(binaryFolder(cacheFolder), { recursive: true });
  // Built aside and renamed, so that a build that dies halfway never leaves a file that looks finished.
  const folder = await mkdtemp(join(binaryFolder(cacheFolder), '.go-'));
  try {
    onProgress(`Building the Temporal server ${CLI_VERSION} with Go (about 3 minutes the first time)`);
    const end = await runCommand({
      file: 'go',
      arguments: ['install', `github.com/temporalio/cli/cmd/temporal@v${CLI_VERSION}`],
      env: { ...env, GOBIN: folder },
      timeoutMs: BUILD_TIMEOUT_MS,
      onTick: everyFewSeconds(onProgress),
    });
    if (end.kind !== 'exited') return failed('it did not finish within 15 minutes');
    if (end.code !== 0) return failed(lastLine(end.output));
    await rename(join(folder, 'temporal'), builtBinary(cacheFolder));
    return { kind: 'files', paths: [builtBinary(cacheFolder)] };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function everyFewSeconds(onProgress: (line: string) => void): (elapsedMs: number) => void {
  let next = PROGRESS_EVERY_MS;
  return (elapsedMs) => {
    if (elapsedMs < next) return;
    next += PROGRESS_EVERY_MS;
    onProgress(`Building the Temporal server with Go, ${Math.round(elapsedMs / 1_000)} s`);
  };
}

function absent(detail: string): Offer {
  return { kind: 'none', outcome: 'absent', detail };
}

function failed(detail: string): Offer {
  return { kind: 'none', outcome: 'failed', detail: `go install: ${detail}` };
}
