import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { binaryFolder, downloadedBinary, SDK } from './binary-cache.ts';
import type { FindServerOptions, Offer } from './find-server.ts';
import { lastLine, runCommand } from './run-command.ts';

/** Without a network the request may hang instead of failing; then the next place must get its turn. */
const DOWNLOAD_TIMEOUT_MS = 30_000;

/** How long the SDK trusts a downloaded file, in milliseconds: ten years, because we replace it by its name. */
const KEEP_MS = 10 * 365 * 86_400_000;

/**
 * The SDK downloads only on the way to starting a server, so the server is asked for its help text and ends at once.
 * It runs in a process of its own: the SDK's runtime can be installed only once in ours, and the worker needs it.
 */
const SCRIPT = `
const [worker, downloadDir, sdkName, sdkVersion, ttl] = process.argv.slice(1);
const { Runtime } = require(worker);
Runtime.instance().createEphemeralServer({
  type: 'dev-server', ip: '127.0.0.1', port: null, ui: false, uiPort: null, namespace: 'default', dbFilename: null,
  log: { format: 'pretty', level: 'error' }, extraArgs: ['--help'],
  exe: { type: 'cached-download', downloadDir, version: 'default', ttl: Number(ttl), sdkName, sdkVersion },
}).then(() => process.exit(0), (error) => { console.error(error.message); process.exit(1); });
`;

/** Lets the Temporal SDK download the CLI into our cache, as it does for its own test server. */
export async function downloadWithSdk(options: FindServerOptions): Promise<Offer> {
  const { cacheFolder, env, onProgress } = options;
  const path = downloadedBinary(cacheFolder);
  await mkdir(binaryFolder(cacheFolder), { recursive: true });
  onProgress('Downloading the Temporal server (at most 30 s)');
  const worker = createRequire(import.meta.url).resolve('@temporalio/worker');
  const end = await runCommand({
    file: process.execPath,
    arguments: ['-e', SCRIPT, worker, binaryFolder(cacheFolder), SDK.name, SDK.version, String(KEEP_MS)],
    env,
    timeoutMs: options.downloadTimeoutMs ?? DOWNLOAD_TIMEOUT_MS,
    until: () => existsSync(path),
  });
  if (existsSync(path)) return { kind: 'files', paths: [path] };
  return { kind: 'none', outcome: 'failed', detail: reasonOf(end) };
}

function reasonOf(end: Awaited<ReturnType<typeof runCommand>>): string {
  switch (end.kind) {
    case 'exited':
      return shortReason(lastLine(end.output));
    case 'timed_out':
      return 'nothing arrived in time';
    case 'not_started':
      return end.reason;
    case 'enough':
      return 'the downloaded file vanished';
  }
}

/** The SDK repeats the whole address in each layer of its message; the last layer is the reason. */
function shortReason(message: string): string {
  return message.includes('client error') ? message.slice(message.lastIndexOf('client error')) : message;
}
