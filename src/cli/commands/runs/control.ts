import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { cancelRun, pauseRun, resumeRun, sendMessage, type Sent } from '../../../client.ts';
import { CommandFailure } from '../../command-failure.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit-codes.ts';
import { idOfRun, readKnownRun, type KnownReading } from '../../named-run.ts';
import { withServer } from '../../server-access.ts';
import { shortLine, visible } from '../../text/visible.ts';

export type Order = 'pause' | 'resume' | 'cancel';

/** How long the new state is waited for, so that it can be told. A step in progress may take longer. Milliseconds. */
const SETTLE_MS = 4_000;

export async function sendToRun(context: Context, name: string, text: string): Promise<number> {
  return await withServer(context, async ({ client }) => {
    const runId = await idOfRun(client, name);
    const sent = await sendMessage(client, runId, { by: context.settings.user, text });
    refuseUnlessSent(runId, sent);
    const heard =
      sent.kind === 'applied'
        ? 'it is heard before the next turn'
        : 'no worker answers; it is recorded and heard when one runs';
    context.terminal.say(`${runId}: ${heard}. See it with "nightshift runs tail ${runId}"`);
    return EXIT.done;
  });
}

export async function controlRun(context: Context, name: string, order: Order): Promise<number> {
  const { user } = context.settings;
  return await withServer(context, async ({ client }) => {
    const runId = await idOfRun(client, name);
    const before = await readKnownRun(client, runId);
    refuseEnded(runId, before, order);
    const send = {
      pause: pauseRun,
      resume: resumeRun,
      cancel: async (c: Client, id: string) => await cancelRun(c, id),
    }[order];
    refuseUnlessSent(runId, await send(client, runId, user));
    const after = await settled(client, runId, (reading) => hasFollowed(reading, order));
    for (const line of orderText(runId, order, after)) context.terminal.say(line);
    return EXIT.done;
  });
}

function refuseEnded(runId: string, reading: KnownReading, order: Order): void {
  if (reading.kind !== 'ended') return;
  const state = reading.memo?.result?.outcome.status ?? reading.closedAs.toLowerCase();
  throw new CommandFailure(EXIT.conflict, `Cannot ${order} "${runId}": it has ended already (${state})`);
}

function refuseUnlessSent(runId: string, sent: Sent): void {
  if (sent.kind === 'refused') throw new CommandFailure(EXIT.conflict, visible(sent.refusal.message));
  if (sent.kind === 'gone') throw new CommandFailure(EXIT.conflict, `Cannot reach "${runId}": it has ended`);
}

async function settled(client: Client, runId: string, done: (reading: KnownReading) => boolean): Promise<KnownReading> {
  const deadline = performance.now() + SETTLE_MS;
  for (;;) {
    const reading = await readKnownRun(client, runId);
    if (done(reading) || reading.kind === 'asleep' || performance.now() > deadline) return reading;
    await sleep(150);
  }
}

function hasFollowed(reading: KnownReading, order: Order): boolean {
  if (reading.kind === 'ended') return true;
  const state = reading.kind === 'live' ? reading.view.state : null;
  if (order === 'pause') return state === 'paused';
  return order === 'resume' && state !== null && state !== 'paused';
}

/** The new state, or what it will be, and the next useful command. */
function orderText(runId: string, order: Order, reading: KnownReading): readonly string[] {
  const next = {
    pause: `nightshift runs resume ${runId}`,
    resume: `nightshift runs tail ${runId}`,
    cancel: `nightshift runs show ${runId}`,
  }[order];
  return [`${runId}: ${stateAfter(order, reading)}`, `Next: ${next}`];
}

function stateAfter(order: Order, reading: KnownReading): string {
  if (reading.kind === 'asleep') return `${order} is recorded; no worker answers, so it takes effect when one runs`;
  if (reading.kind === 'ended') return reading.memo?.result?.outcome.status ?? reading.closedAs.toLowerCase();
  const { state, now } = reading.view;
  if (hasFollowed(reading, order)) return `${state} — ${shortLine(now, 200)}`;
  return `was asked to ${order}; still ${state} — ${shortLine(now, 200)}`;
}
