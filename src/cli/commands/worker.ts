import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import type { TemporalTarget } from '../../config/temporal-target.ts';
import { connectClient } from '../../temporal/connect.ts';
import { NotAllowed, ServerUnreachable } from '../../temporal/errors.ts';
import { ensureSearchAttributes } from '../../temporal/search-attributes.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { countFlag } from '../flags.ts';
import type { Runner } from '../program.ts';
import { findServer } from '../server-access.ts';
import { onStopRequest } from '../stop-signal.ts';

interface WorkerFlags {
  readonly taskQueue?: string;
  readonly cachedRuns?: number;
  readonly supervised?: true;
  readonly address?: string;
}

const EXAMPLES = `
Examples:
  nightshift worker                                        for the server of this machine
  TEMPORAL_ADDRESS=host:7233 nightshift worker --task-queue shared`;

const WAIT_MAX_MS = 15_000;

export function addWorker(program: Command, run: Runner): void {
  program
    .command('worker')
    .description('run a worker alone, until Ctrl-C; it waits for a server that is down')
    .option('--task-queue <queue>', 'the queue to serve (also NIGHTSHIFT_TASK_QUEUE)')
    .option('--cached-runs <n>', 'runs held in memory; more are replayed when they go on', countFlag)
    .addOption(new Option('--supervised').hideHelp())
    .addOption(new Option('--address <address>').hideHelp())
    .addHelpText('after', EXAMPLES)
    .action(async (flags: WorkerFlags) => {
      await run(async (context) => await work(context, flags));
    });
}

async function work(context: Context, flags: WorkerFlags): Promise<number> {
  const signal = stopRequestOf(flags);
  const target = await waitForServer(context, { flags, signal });
  if (target === null) return EXIT.done;
  // The native library takes a moment to load, and only this command needs it whole.
  const [{ startWorker }, { Runtime, DefaultLogger }] = await Promise.all([
    import('../../worker.ts'),
    import('@temporalio/worker'),
  ]);
  Runtime.install({ logger: new DefaultLogger('WARN'), shutdownSignals: [] });
  const { env, settings, build, terminal } = context;
  const taskQueue = flags.taskQueue ?? settings.taskQueue;
  const worker = await startWorker({
    target,
    taskQueue,
    dataFolder: settings.folders.dataFolder,
    models: settings.anthropic,
    environment: env,
    ...(build.workflowBundle === null ? {} : { bundlePath: build.workflowBundle }),
    ...(flags.cachedRuns === undefined ? {} : { cachedRunsMax: flags.cachedRuns }),
  });
  const stop = (): void => void worker.shutdown().catch(() => undefined);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop);
  if (flags.supervised === true) process.send?.({ kind: 'ready', id: worker.id });
  else terminal.say(`Worker ${worker.id} serves "${taskQueue}" on ${target.address}. Ctrl-C ends it; nothing is lost.`);
  await worker.ended;
  return EXIT.done;
}

/** A supervised worker also ends when its supervisor dies, however that dies: the channel between them closes. */
function stopRequestOf({ supervised }: WorkerFlags): AbortSignal {
  const asked = onStopRequest();
  if (supervised !== true) return asked;
  const orphaned = new AbortController();
  process.once('disconnect', () => orphaned.abort());
  return AbortSignal.any([asked, orphaned.signal]);
}

interface Wait {
  readonly flags: WorkerFlags;
  readonly signal: AbortSignal;
}

/** The server once it answers, or null when the worker is asked to end before. */
async function waitForServer(context: Context, { flags, signal }: Wait): Promise<TemporalTarget | null> {
  const { say } = context.terminal;
  let said = '';
  for (let waitMs = 500; !signal.aborted; waitMs = Math.min(WAIT_MAX_MS, waitMs * 2)) {
    const target = await targetOf(context, flags);
    const why =
      target === null ? 'no Temporal server runs here; "nightshift up" starts one' : await tryServer(target, say);
    if (target !== null && why === null) return target;
    if (why !== null && why !== said) say(`Waiting for a server: ${why}`);
    said = why ?? said;
    await sleep(waitMs, undefined, { signal }).catch(() => undefined);
  }
  return null;
}

async function targetOf(context: Context, { address }: WorkerFlags): Promise<TemporalTarget | null> {
  if (address !== undefined) return { address, namespace: 'default' };
  return (await findServer(context))?.target ?? null;
}

/** Null when the server is there. Without our search attributes every run on it would fail, so they are seen to. */
async function tryServer(target: TemporalTarget, say: (line: string) => void): Promise<string | null> {
  try {
    const { connection, close } = await connectClient(target);
    try {
      await ensureSearchAttributes(connection, target.namespace);
    } catch (error) {
      if (!(error instanceof NotAllowed)) throw error;
      say(error.message);
    } finally {
      await close();
    }
    return null;
  } catch (error) {
    if (error instanceof ServerUnreachable) return error.message;
    throw error;
  }
}
