import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { LiveText } from '../contract/activities.ts';
import type { EventPage, RunEvent } from '../contract/events.ts';
import { QUERIES } from '../contract/names.ts';
import { describeRun, queryRun, readRun, type Reading } from './reading.ts';

/** What somebody who follows a run sees, in order. */
export type Watched =
  | { readonly kind: 'event'; readonly event: RunEvent }
  | { readonly kind: 'live'; readonly step: string; readonly live: LiveText }
  /** Events were dropped before they were read; the reading is where the run stands now. */
  | { readonly kind: 'resync'; readonly reading: Reading }
  /** The run cannot be followed now, or has ended. The last thing that is told. */
  | { readonly kind: 'end'; readonly reading: Reading }
  /** Nobody answers for the run; following goes on. */
  | { readonly kind: 'asleep'; readonly reading: Reading };

export interface WatchOptions {
  /** Sequence number after which to begin; 0 for all. */
  readonly after?: number;
  readonly live?: boolean;
  readonly signal?: AbortSignal;
}

const FAST_MS = 250;
const SLOW_MS = 2_000;

/** Where a reader stands. */
interface Place {
  readonly client: Client;
  readonly runId: string;
  position: number;
  pause: number;
  asleep: boolean;
  over: boolean;
}

/** Follows a run until it ends, across continuations, crashes and restarts. Nothing of it adds to its history. */
export async function* watchRun(
  client: Client,
  runId: string,
  { after = 0, live = false, signal }: WatchOptions = {},
): AsyncGenerator<Watched> {
  const place: Place = { client, runId, position: after, pause: FAST_MS, asleep: false, over: false };
  while (signal?.aborted !== true) {
    const page = await readPage(client, runId, place.position);
    yield* page === null ? readSilence(place) : readEvents(place, page);
    if (place.over) return;
    if (live) yield* readLive(client, runId);
    await wait(place.pause, signal);
  }
}

async function* readEvents(place: Place, { events, missed, last }: EventPage): AsyncGenerator<Watched> {
  const { client, runId } = place;
  place.asleep = false;
  if (missed) yield { kind: 'resync', reading: await readRun(client, runId) };
  for (const event of events) yield { kind: 'event', event };
  place.position = events.at(-1)?.seq ?? Math.max(place.position, missed ? last : 0);
  place.pause = events.length > 0 ? FAST_MS : Math.min(SLOW_MS, place.pause * 1.3);
  if (events.some(({ type }) => type === 'run.ended')) yield* end(place, await readEnded(client, runId));
  else if (events.length === 0) yield* readIfClosed(place);
}

/** A run that was terminated, or failed by a bug, says no last word, and still answers queries as it was. */
async function* readIfClosed(place: Place): AsyncGenerator<Watched> {
  const described = await describeRun(place.client, place.runId);
  if ('kind' in described || described.status.name === 'RUNNING') return;
  yield* end(place, await readRun(place.client, place.runId));
}

function* end(place: Place, reading: Reading): Generator<Watched> {
  place.over = true;
  yield { kind: 'end', reading };
}

/** No page came: the run is over, or nobody answers for it now. */
async function* readSilence(place: Place): AsyncGenerator<Watched> {
  const reading = await readRun(place.client, place.runId);
  if (isOver(reading)) return yield* end(place, reading);
  if (!place.asleep && reading.kind !== 'live') yield { kind: 'asleep', reading };
  place.asleep = reading.kind !== 'live';
}

async function readPage(client: Client, runId: string, after: number): Promise<EventPage | null> {
  return await queryRun<EventPage>(client, runId, { name: QUERIES.events, input: { after } }).catch(() => null);
}

function isOver(reading: Reading): boolean {
  return reading.kind === 'ended' || reading.kind === 'gone';
}

/** The run said it ended a moment before the server closes it. */
async function readEnded(client: Client, runId: string): Promise<Reading> {
  for (let tries = 0; tries < 20; tries += 1) {
    const reading = await readRun(client, runId);
    if (isOver(reading)) return reading;
    await wait(100);
  }
  return await readRun(client, runId);
}

/** What the steps in progress show of themselves, through their heartbeats. */
async function* readLive(client: Client, runId: string): AsyncGenerator<Watched> {
  const described = await describeRun(client, runId);
  if ('kind' in described) return;
  for (const { activityId, heartbeatDetails } of described.raw.pendingActivities ?? []) {
    const [live] = await decodeArrayFromPayloads(client.options.loadedDataConverter, heartbeatDetails?.payloads);
    if (isLiveText(live)) yield { kind: 'live', step: activityId ?? '', live };
  }
}

function isLiveText(value: unknown): value is LiveText {
  return typeof value === 'object' && value !== null && 'tail' in value && 'offset' in value;
}

async function wait(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
}
