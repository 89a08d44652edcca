import type { Client } from '@temporalio/client';
import { readRun, watchRun, type Reading, type Watched } from '../../client.ts';
import type { RunEvent } from '../../contract/events.ts';
import type { LiveText } from '../../contract/activities.ts';
import { endOfReading, type RunEnd, type WaitingView } from './run-end.ts';

/** Who is told what happens, in order. */
export interface Listener {
  readonly event: (event: RunEvent) => void;
  readonly live: (live: LiveText) => void;
  /** A remark about the following itself. */
  readonly note: (text: string) => void;
}

/** Looks at a run that may wait for somebody, and says whether to go on following. */
export type Attend = (view: WaitingView) => Promise<'go_on' | 'leave'>;

export interface FollowOptions {
  readonly listener: Listener;
  readonly attend: Attend;
  /** Live text is asked for only where somebody sees it. */
  readonly live: boolean;
  readonly after?: number;
  /** Resolves when following should end for a reason of the follower. */
  readonly interrupted: Promise<RunEnd>;
}

/** After these the run may wait for a person. */
const WORTH_A_LOOK: ReadonlySet<RunEvent['type']> = new Set(['approval.requested', 'run.parked', 'run.paused']);

/** Follows a run until it ends, waits in a way that is not wanted, or the follower has to go. */
export async function followRun(client: Client, runId: string, options: FollowOptions): Promise<RunEnd> {
  const watching = watchRun(client, runId, { after: options.after ?? 0, live: options.live });
  try {
    for (;;) {
      const next = await Promise.race([watching.next(), options.interrupted]);
      if ('kind' in next) return next;
      if (next.done === true) return { kind: 'detached' };
      const end = await Promise.race([take(client, { runId, watched: next.value, options }), options.interrupted]);
      if (end !== null) return end;
    }
  } finally {
    // Not awaited: a question to the server may be under way, and nobody wants its answer any more.
    void watching.return(undefined).catch(() => undefined);
  }
}

interface Taking {
  readonly runId: string;
  readonly watched: Watched;
  readonly options: FollowOptions;
}

async function take(client: Client, { runId, watched, options }: Taking): Promise<RunEnd | null> {
  const { listener, attend } = options;
  switch (watched.kind) {
    case 'event':
      listener.event(watched.event);
      return isWorthALook(watched.event) ? await look(await readRun(client, runId), attend) : null;
    case 'live':
      listener.live(watched.live);
      return null;
    case 'resync':
      listener.note('Some events were dropped before they could be shown; the run goes on from here');
      return await look(watched.reading, attend);
    case 'asleep':
      listener.note(asleepText(watched.reading));
      return await look(watched.reading, attend);
    case 'end':
      return await wholeEnd(client, runId, watched.reading);
  }
}

function isWorthALook(event: RunEvent): boolean {
  return (
    WORTH_A_LOOK.has(event.type) ||
    (event.type === 'run.state' && (event.state === 'awaiting_human' || event.state === 'paused'))
  );
}

async function look(reading: Reading, attend: Attend): Promise<RunEnd | null> {
  const view = reading.kind === 'live' ? reading.view : reading.kind === 'asleep' ? reading.memo : null;
  if (view === null || (await attend(view)) === 'go_on') return null;
  return { kind: 'waiting', view };
}

function asleepText(reading: Reading): string {
  if (reading.kind === 'unreachable') return `The server does not answer (${reading.message}); still following`;
  const now = reading.kind === 'asleep' ? reading.memo?.now : undefined;
  return `No worker answers for this run${now === undefined ? '' : ` (last known: ${now})`}; it goes on when one runs ("nightshift up"). Still following`;
}

/** The memo holds a cut answer; the result of the workflow has it whole. */
async function wholeEnd(client: Client, runId: string, reading: Reading): Promise<RunEnd> {
  const end = endOfReading(reading) ?? {
    kind: 'unreachable',
    message: 'the run said it ended, and the server has not closed it',
  };
  if (end.kind !== 'ended' || end.closedAs !== 'COMPLETED') return end;
  const whole = await client
    .withDeadline(Date.now() + 5_000, async () => (await client.workflow.getHandle(runId).result()) as unknown)
    .catch(() => null);
  return isRunResult(whole) ? { ...end, result: whole } : end;
}

function isRunResult(value: unknown): value is NonNullable<Extract<RunEnd, { kind: 'ended' }>['result']> {
  return typeof value === 'object' && value !== null && 'outcome' in value && 'answer' in value;
}
