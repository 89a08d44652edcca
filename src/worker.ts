import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isGrpcServiceError } from '@temporalio/client';
import {
  Worker,
  type ActivityInterceptorsFactory,
  type NativeConnection,
  type WorkerOptions as TemporalWorkerOptions,
} from '@temporalio/worker';
import { createActivities } from './activities/activities.ts';
import type { Dependencies } from './activities/dependencies.ts';
import { ReplyKeeper } from './activities/reply-keeper.ts';
import { TranscriptCache } from './activities/transcript-cache.ts';
import type { Environment } from './config/environment.ts';
import type { TemporalTarget } from './config/temporal-target.ts';
import { createModels, type ModelAccess, type Models } from './models/models.ts';
import { connectClient } from './temporal/connect.ts';
import { connectWorker } from './temporal/connect-worker.ts';
import { dataConverter } from './temporal/data-converter.ts';
import { InFlight } from './temporal/in-flight.ts';
import { recoverLostSteps } from './temporal/lost-steps.ts';
import { identifyHolder, openLedger, type Ledger } from './tools/ledger/ledger.ts';
import { pruneKept } from './tools/prune-kept.ts';
import { startReaper } from './tools/shell/reaper.ts';
import type { Sandbox } from './tools/sandbox/sandbox.ts';
import type { Tool } from './tools/tool.ts';
import { openTooling } from './worker/tooling.ts';
import { workflowSource } from './worker/workflow-source.ts';

export interface WorkerOptions {
  readonly target: TemporalTarget;
  readonly taskQueue: string;
  /** Folder of our own, where the worker notes what it has in hand. */
  readonly dataFolder: string;
  readonly models: ModelAccess | Models;
  /** What commands that tools run may inherit a few harmless variables from. */
  readonly environment: Environment;
  /** Tools besides the built-in ones. */
  readonly tools?: readonly Tool[];
  /** Confines commands; made from the settings when left out. */
  readonly sandbox?: Sandbox;
  /** The bundled workflow code; without it, the code is bundled now, which takes a second or two. */
  readonly bundlePath?: string;
  /** Milliseconds that steps may still take when the worker is asked to end. */
  readonly shutdownGraceMs?: number;
  /** Runs held in memory; more are replayed when they go on. */
  readonly cachedRunsMax?: number;
  /** Milliseconds until a run whose worker is silent is handed to another; shorter costs a slow cluster replays. */
  readonly stickyMs?: number;
}

export interface RunningWorker {
  readonly id: string;
  /** Settles when the worker has ended; rejects when it broke. */
  readonly ended: Promise<void>;
  readonly shutdown: () => Promise<void>;
}

/** How often heartbeats reach the server at most: live text is that fresh, and a cancel is heard that soon. */
const HEARTBEAT_THROTTLE_MS = 400;

/** Puts all parts together and starts polling. The returned worker has told the server what earlier ones lost. */
export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const id = `${hostname()}/${process.pid}/${randomBytes(4).toString('hex')}`;
  const workersFolder = join(options.dataFolder, 'workers');
  const models = createModels(options.models);
  const [connection, inFlight] = await Promise.all([connectWorker(options.target), InFlight.open(workersFolder, id)]);
  const transcripts = new TranscriptCache();
  const reaper = startReaper(id);
  const tooling = await openTooling({ ...options, worker: id });
  const dependencies: Dependencies = {
    transcripts,
    replies: new ReplyKeeper(),
    model: models.choose,
    registry: tooling.registry,
    redactor: tooling.redactor,
    yoloEnabled: tooling.yoloEnabled,
    hooks: tooling.hooks,
    ledgerOf: ledgers(),
    holder: await identifyHolder(id),
  };
  const worker = await Worker.create({
    ...temporalOptions(options, { id, connection }),
    sinks: transcripts.sinks(),
    activities: createActivities(dependencies),
    interceptors: { activity: [noteInFlight(inFlight)] },
  });
  await recoverEarlier(options, workersFolder);
  const ended = runToEnd(worker, async () => {
    inFlight.close();
    await Promise.all([tooling.close(), models.close()]);
    await reaper.close();
    await connection.close();
  });
  return { id, ended, shutdown: async () => await shutDown(worker, ended) };
}

function temporalOptions(
  options: WorkerOptions,
  { id, connection }: { id: string; connection: NativeConnection },
): TemporalWorkerOptions {
  const { target, taskQueue, bundlePath, shutdownGraceMs = 10_000, cachedRunsMax = 500, stickyMs = 5_000 } = options;
  return {
    connection,
    namespace: target.namespace,
    taskQueue,
    identity: id,
    dataConverter,
    ...workflowSource(bundlePath),
    maxCachedWorkflows: cachedRunsMax,
    stickyQueueScheduleToStartTimeout: stickyMs,
    maxHeartbeatThrottleInterval: HEARTBEAT_THROTTLE_MS,
    defaultHeartbeatThrottleInterval: HEARTBEAT_THROTTLE_MS,
    maxConcurrentActivityTaskExecutions: 200,
    shutdownGraceTime: shutdownGraceMs,
    shutdownForceTime: shutdownGraceMs + 10_000,
  };
}

/** A call to the server has no time limit of its own, and an answer may be lost with the connection it was to come by. */
const RECOVERY_MS_MAX = 10_000;

/** Tells the server what earlier workers of this host lost. What cannot be told now is found by timeouts later. */
async function recoverEarlier({ target, taskQueue }: WorkerOptions, workersFolder: string): Promise<void> {
  const { client, connection, close } = await connectClient(target);
  try {
    await connection.withDeadline(Date.now() + RECOVERY_MS_MAX, async () => {
      await recoverLostSteps(client, workersFolder, taskQueue);
    });
  } catch (error) {
    if (!isGrpcServiceError(error)) throw error;
  } finally {
    await close();
  }
}

function noteInFlight(inFlight: InFlight): ActivityInterceptorsFactory {
  return ({ info }) => ({
    inbound: {
      execute: async (input, next) => {
        if (info.isLocal || info.workflowExecution === undefined) return await next(input);
        const end = inFlight.begin({ ...info.workflowExecution, activityId: info.activityId });
        try {
          return await next(input);
        } finally {
          end();
        }
      },
    },
  });
}

/** One ledger a workspace, opened when it is first needed. A folder that is missing is tried again. */
function ledgers(): (workspace: string) => Promise<Ledger> {
  const open = new Map<string, Promise<Ledger>>();
  return async (workspace) => {
    const opened = open.get(workspace) ?? openPruned(workspace);
    open.set(workspace, opened);
    return await opened.catch((error: unknown) => {
      open.delete(workspace);
      throw error;
    });
  };
}

/** How long claims and results of runs that do nothing are kept: longer than any step can be retried. */
const LEDGER_KEPT_MS = 30 * 86_400_000;

async function openPruned(workspace: string): Promise<Ledger> {
  const ledger = await openLedger(workspace);
  // Housekeeping: no step waits for it, and none fails because of it.
  ledger.prune(LEDGER_KEPT_MS).catch(() => undefined);
  pruneKept(workspace, LEDGER_KEPT_MS).catch(() => undefined);
  return ledger;
}

async function runToEnd(worker: Worker, close: () => Promise<void>): Promise<void> {
  try {
    await worker.run();
  } finally {
    await close();
  }
}

async function shutDown(worker: Worker, ended: Promise<void>): Promise<void> {
  if (worker.getState() === 'RUNNING') worker.shutdown();
  await ended;
}
