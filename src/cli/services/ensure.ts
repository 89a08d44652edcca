import { setTimeout as sleep } from 'node:timers/promises';
import { connectClient } from '../../temporal/connect.ts';
import { CommandFailure } from '../command-failure.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { IDLE_STOP_MS, startInBackground } from './background.ts';
import { isServed } from './other-workers.ts';
import { modelAccessMark, readServices, type ServicesRecord } from './record.ts';
import { stopServices } from './stop.ts';

const SETTLE_TIMEOUT_MS = 120_000;

/**
 * Makes sure that a worker will take the run: services of ours, in the background if there are none, or somebody
 * else's worker on a server that was named. Returns our services if they are the ones.
 */
export async function ensureServices(context: Context): Promise<ServicesRecord | null> {
  const record = await settled(context);
  if (record === null) {
    if (await isServedByOthers(context)) return null;
    return await startAndSay(context);
  }
  if (!serves(context, record)) {
    await warnUnserved(context, record);
    return null;
  }
  const why = outdated(context, record);
  if (why === null) return record;
  if (!record.background) {
    context.terminal.say(
      `Note: the services that run in another terminal ${why}; end and start them there to change that`,
    );
    return record;
  }
  context.terminal.say(`The services in the background ${why}; starting them again (open runs go on, nothing is lost)`);
  await stopServices(context.settings.folders.dataFolder);
  return await startInBackground(context, record.idleStopMs);
}

async function startAndSay(context: Context): Promise<ServicesRecord> {
  const record = await startInBackground(context, IDLE_STOP_MS);
  const { terminal } = context;
  terminal.say(
    terminal.colors.dim(
      'They end by themselves after an hour without a run; "nightshift down" ends them now, and loses nothing',
    ),
  );
  return record;
}

/** The record once it is neither starting nor stopping. */
async function settled({ settings }: Context): Promise<ServicesRecord | null> {
  const deadline = performance.now() + SETTLE_TIMEOUT_MS;
  while (performance.now() < deadline) {
    const record = await readServices(settings.folders.dataFolder);
    if (record === null || record.state === 'ready') return record;
    await sleep(200);
  }
  const { dataFolder } = settings.folders;
  throw new CommandFailure(
    EXIT.unreachable,
    `Cannot use the services of "${dataFolder}": they have been starting or stopping for two minutes`,
  );
}

/** Whether these services take runs of this environment. */
export function serves({ settings }: Pick<Context, 'settings'>, record: ServicesRecord): boolean {
  const { temporal, taskQueue } = settings;
  const sameServer =
    temporal === null || (temporal.address === record.address && temporal.namespace === record.namespace);
  return sameServer && taskQueue === record.taskQueue;
}

/** Why services should be started again, as a person reads it, or null. */
export function outdated(
  { settings, build }: Pick<Context, 'settings' | 'build'>,
  record: ServicesRecord,
): string | null {
  if (record.build !== build.stamp) return 'come from another build';
  // Without a key of our own the run uses the offline model, which every worker has.
  const mark = modelAccessMark(settings.anthropic);
  return mark !== 'none' && mark !== record.modelAccess ? 'have another model API key, or none' : null;
}

async function isServedByOthers({ settings }: Context): Promise<boolean> {
  if (settings.temporal === null) return false;
  const { client, close } = await connectClient(settings.temporal);
  try {
    return await isServed(client, settings.taskQueue);
  } finally {
    await close();
  }
}

async function warnUnserved(context: Context, record: ServicesRecord): Promise<void> {
  if (await isServedByOthers(context)) return;
  const { taskQueue } = context.settings;
  context.terminal.say(
    `Note: the services here serve "${record.taskQueue}" on ${record.address}, and nobody seems to serve "${taskQueue}"; start "nightshift worker" for it`,
  );
}
