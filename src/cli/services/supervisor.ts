import { setTimeout as sleep } from 'node:timers/promises';
import { checkHealth, listRuns } from '../../client.ts';
import { connectClient } from '../../temporal/connect.ts';
import type { Context } from '../context.ts';
import { claimServices, type ServicesClaim } from './claim.ts';
import { healthNews, type Told } from './health-news.ts';
import { modelAccessMark, readServices, removeServices, writeServices, type ServicesRecord } from './record.ts';
import { openServiceServer, type ServiceServer } from './server.ts';
import { superviseWorker } from './worker-child.ts';

export interface SupervisorOptions {
  readonly background: boolean;
  readonly logPath: string | null;
  /** Milliseconds without an open run after which it ends itself; 0 for never. */
  readonly idleStopMs: number;
  /** Ends it in order. */
  readonly signal: AbortSignal;
  /** Called once everything runs. */
  readonly onReady: (record: ServicesRecord) => void;
}

export type Supervised =
  | { readonly kind: 'ended' }
  | { readonly kind: 'taken'; readonly record: ServicesRecord | null };

const SERVER_CHECK_MS = 2_000;
const WATCH_MS = 20_000;

/** Runs server and worker until told to end, or until idle for long enough. At most one at a time in a data folder. */
export async function supervise(context: Context, options: SupervisorOptions): Promise<Supervised> {
  const { dataFolder } = context.settings.folders;
  const claim = await claimServices(dataFolder);
  if (claim.kind === 'taken') return { kind: 'taken', record: await readServices(dataFolder) };
  try {
    const starting = describe(context, { claim, options });
    await writeServices(dataFolder, starting);
    const server = await openServiceServer(context);
    try {
      await serve(context, { server, options, record: { ...starting, ...server.target, uiUrl: server.uiUrl } });
    } finally {
      await server.stop();
    }
    return { kind: 'ended' };
  } finally {
    await removeServices(dataFolder);
    await claim.release();
  }
}

interface Starting {
  readonly claim: Extract<ServicesClaim, { kind: 'held' }>;
  readonly options: SupervisorOptions;
}

function describe({ settings, build }: Context, { claim, options }: Starting): ServicesRecord {
  const { background, logPath, idleStopMs } = options;
  return {
    process: claim.identity,
    state: 'starting',
    address: settings.temporal?.address ?? '',
    namespace: settings.temporal?.namespace ?? 'default',
    uiUrl: null,
    taskQueue: settings.taskQueue,
    build: build.stamp,
    modelAccess: modelAccessMark(settings.anthropic),
    startedBy: settings.user,
    startedAt: Date.now(),
    background,
    logPath,
    idleStopMs,
  };
}

interface Serving {
  readonly server: ServiceServer;
  readonly options: SupervisorOptions;
  readonly record: ServicesRecord;
}

async function serve(context: Context, { server, options, record }: Serving): Promise<void> {
  const { dataFolder } = context.settings.folders;
  const { say } = context.terminal;
  // The target of a named server is read by the worker itself, since it may hold a key.
  const words = server.ours ? ['--address', server.target.address] : [];
  const worker = superviseWorker({ main: context.build.main, arguments: words, say });
  const ended = new Promise<void>((resolve) =>
    options.signal.addEventListener('abort', () => resolve(), { once: true }),
  );
  try {
    await Promise.race([worker.ready, ended]);
    const ready: ServicesRecord = { ...record, state: 'ready' };
    if (!options.signal.aborted) {
      await writeServices(dataFolder, ready);
      options.onReady(ready);
      await watch(context, { server, options, record: ready });
    }
    say('Ending the worker; steps in progress get a few seconds, and nothing is lost');
  } finally {
    await worker.stop();
  }
}

/** Looks after server and runs until it is time to end. */
async function watch(context: Context, serving: Serving): Promise<void> {
  const { signal, idleStopMs } = serving.options;
  const { say } = context.terminal;
  const everyMs = idleStopMs === 0 ? SERVER_CHECK_MS : Math.min(SERVER_CHECK_MS, idleStopMs);
  const round: Round = { told: new Set(), watchedAt: Date.now(), busyAt: Date.now() };
  for (;;) {
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    try {
      if (await goRound(context, serving, round)) return;
    } catch (error) {
      say(`Cannot look after the services now: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

/** What one look leaves for the next. Times are milliseconds since 1970. */
interface Round {
  told: Told;
  watchedAt: number;
  busyAt: number;
}

/** Returns true when it is time to end. */
async function goRound(context: Context, serving: Serving, round: Round): Promise<boolean> {
  const { server, record } = serving;
  const { idleStopMs } = serving.options;
  const { say } = context.terminal;
  if (await server.revive()) say('The Temporal server had died and was started again');
  if (Date.now() - round.watchedAt >= WATCH_MS) {
    round.watchedAt = Date.now();
    round.told = await lookAtRuns(server, { told: round.told, say });
  }
  if (idleStopMs === 0) return false;
  const idle = Date.now() - round.busyAt >= idleStopMs;
  if (!(await hasOpenRuns(server, record.taskQueue))) return idle && (await mayEnd(context, serving));
  round.busyAt = Date.now();
  return false;
}

interface Watchdog {
  readonly told: Told;
  readonly say: (line: string) => void;
}

async function lookAtRuns({ target }: ServiceServer, { told, say }: Watchdog): Promise<Told> {
  const { client, close } = await connectClient(target);
  try {
    const news = healthNews(told, await checkHealth(client));
    for (const line of news.lines) say(line);
    return news.told;
  } finally {
    await close();
  }
}

async function hasOpenRuns({ target }: ServiceServer, taskQueue: string): Promise<boolean> {
  const { client, close } = await connectClient(target);
  try {
    const filter = `ExecutionStatus = 'Running' AND TaskQueue = '${taskQueue.replaceAll("'", '')}'`;
    return (await listRuns(client, { limit: 1, filter })).length > 0;
  } finally {
    await close();
  }
}

/** Says that it is about to end, so that nobody starts a run on it, and looks once more: the list lags a little. */
async function mayEnd(context: Context, { server, record }: Serving): Promise<boolean> {
  const { dataFolder } = context.settings.folders;
  await writeServices(dataFolder, { ...record, state: 'stopping' });
  await sleep(1_500);
  if (!(await hasOpenRuns(server, record.taskQueue))) return true;
  await writeServices(dataFolder, record);
  return false;
}
