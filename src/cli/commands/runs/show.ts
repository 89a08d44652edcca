import type { Client } from '@temporalio/client';
import { watchRun } from '../../../client.ts';
import type { RunEvent } from '../../../contract/events.ts';
import type { RunMemo, RunView } from '../../../contract/run.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit-codes.ts';
import { envelope } from '../../following/output.ts';
import { outcomeText } from '../../following/run-end.ts';
import { deliveryRows, totalRows } from '../../following/summary.ts';
import { idOfRun, readKnownRun, type KnownReading } from '../../named-run.ts';
import { runPage, withServer } from '../../server-access.ts';
import type { Colors } from '../../terminal.ts';
import { answerCommands, approvalText } from '../../text/approval-text.ts';
import { createEventLines } from '../../text/event-lines.ts';
import { turnLines, turnsOf, type Turn } from '../../text/react-text.ts';
import { SPENDING_HEAD, spendingRows } from '../../text/spending-text.ts';
import { tableText } from '../../text/table.ts';
import { relativeText } from '../../text/times.ts';
import { todoCount, todoLine } from '../../text/todo-text.ts';
import { safeJson, shortLine, visible, visibleLines } from '../../text/visible.ts';

export interface ShowFlags {
  readonly json?: true;
  /** The newest turns to show. */
  readonly turns: number;
  readonly all?: true;
}

/** Reading events must not hang on a worker that is gone. Milliseconds. */
const EVENTS_TIMEOUT_MS = 3_000;

interface Shown {
  readonly runId: string;
  readonly reading: KnownReading;
  readonly events: readonly RunEvent[];
  /** Turns of those events that are shown. */
  readonly turns: number;
  readonly temporalUrl: string | null;
}

export async function showOneRun(context: Context, name: string, { json, turns, all }: ShowFlags): Promise<number> {
  return await withServer(context, async (server) => {
    const runId = await idOfRun(server.client, name);
    const reading = await readKnownRun(server.client, runId);
    const events = reading.kind === 'asleep' ? [] : await keptEvents(server.client, runId, reading);
    const shown: Shown = {
      runId,
      reading,
      events,
      turns: all === true ? Number.POSITIVE_INFINITY : turns,
      temporalUrl: runPage(server, runId),
    };
    context.terminal.print(json === true ? safeJson(asJson(shown), 2) : asText(context, shown).join('\n'));
    return EXIT.done;
  });
}

/** The events that the run keeps for readers. An ended one still tells them while a worker can replay it. */
async function keptEvents(client: Client, runId: string, reading: KnownReading): Promise<readonly RunEvent[]> {
  const last = reading.kind === 'live' ? reading.view.lastEvent : Number.POSITIVE_INFINITY;
  const events: RunEvent[] = [];
  for await (const watched of watchRun(client, runId, { signal: AbortSignal.timeout(EVENTS_TIMEOUT_MS) })) {
    if (watched.kind !== 'event') {
      if (watched.kind === 'resync') continue;
      break;
    }
    events.push(watched.event);
    if (watched.event.seq >= last) break;
  }
  return events;
}

function asJson({ runId, reading, events, turns, temporalUrl }: Shown): unknown {
  const source = sourceOf(reading);
  return {
    run_id: runId,
    /** `live`: told by the run itself; `asleep`: no worker answers, this is what it wrote down last; `ended`. */
    reading: reading.kind,
    ...(reading.kind === 'ended' ? { closed_as: reading.closedAs } : {}),
    ...source,
    events: eventsOfLast(turns, events).map((event) => envelope(runId, event)),
    temporal_url: temporalUrl,
  };
}

/** The events from the beginning of the oldest turn that is wanted; all, when there are no more turns than that. */
function eventsOfLast(turns: number, events: readonly RunEvent[]): readonly RunEvent[] {
  const begun = events.filter(({ type }) => type === 'model.replied');
  const oldest = begun.length > turns ? begun.at(-turns) : undefined;
  return oldest === undefined ? events : events.filter(({ seq }) => seq >= oldest.seq);
}

function sourceOf(reading: KnownReading): RunView | RunMemo | null {
  return reading.kind === 'live' ? reading.view : reading.memo;
}

function asText({ terminal }: Context, shown: Shown): readonly string[] {
  const { runId, reading, temporalUrl } = shown;
  const colors = terminal.outColors;
  const source = sourceOf(reading);
  const row = (name: string, value: string): string => `  ${colors.dim(name.padEnd(12))} ${visible(value)}`;
  if (source === null)
    return [
      colors.bold(runId),
      row('State', reading.kind === 'ended' ? reading.closedAs.toLowerCase() : 'queued'),
      row('Note', sleepNote(reading)),
    ];
  return [
    `${colors.bold(runId)}  ${shortLine(source.title, 120)}`,
    row('State', stateText(source, reading)),
    row('Now', shortLine(source.now, 300)),
    row('Agent', source.agent),
    row('Model', `${source.model}${source.offline ? ' — OFFLINE: a fixed script stands in for a model' : ''}`),
    ...totalRows(source.totals).map(([name, value]) => row(name, value)),
    ...(temporalUrl === null ? [] : [row('Temporal UI', temporalUrl)]),
    ...(reading.kind === 'asleep' ? [row('Note', sleepNote(reading))] : []),
    ...todoLines(source).map((line, index) => `  ${colors.dim((index === 0 ? 'Plan' : '').padEnd(12))} ${line}`),
    ...keptRows(source).map(([name, value]) => row(name, value)),
    ...callLines(source),
    ...spendingLines(source, colors),
    ...turnsText(shown, colors),
    ...questionLines(source, colors),
    ...answerLines(source),
  ];
}

function questionLines({ approvals }: RunView | RunMemo, colors: Colors): readonly string[] {
  const open = approvals.filter(({ status }) => status === 'open');
  return open.flatMap((approval) => [
    '',
    ...approvalText(approval, { colors, now: Date.now() }),
    ...answerCommands(approval).map((command) => `  ${command}`),
  ]);
}

/** The newest turns, as far as the events that the run still keeps tell of them. */
function turnsText({ runId, events, turns: wanted }: Shown, colors: Colors): readonly string[] {
  const [first] = events;
  if (first === undefined) return [];
  const lines = createEventLines(colors);
  // The clock of the lines begins with the first event they are told.
  lines.of(first);
  const isWhole = first.seq === 1;
  const turns = turnsOf(events.map((event) => ({ kind: 'event', event }))).filter(
    ({ number }) => isWhole || number > 0,
  );
  const shown = turns.slice(-Math.min(wanted, turns.length));
  return [
    '',
    ...olderLines(runId, { isWhole, turns, shown }),
    ...shown.flatMap((turn) => turnLines(turn, { colors, lines })),
  ];
}

interface ShownTurns {
  readonly isWhole: boolean;
  readonly turns: readonly Turn[];
  readonly shown: readonly Turn[];
}

function olderLines(runId: string, { isWhole, turns, shown }: ShownTurns): readonly string[] {
  if (shown.length < turns.length)
    return [
      `  Turns before these: nightshift runs show ${runId} --all${isWhole ? '' : ', and runs export for the oldest'}`,
    ];
  return isWhole ? [] : [`  Older turns are told by: nightshift runs export ${runId}`];
}

function stateText(source: RunView | RunMemo, reading: KnownReading): string {
  if (source.result !== null) return shortLine(outcomeText(source.result.outcome), 300);
  if (reading.kind === 'ended') return `${reading.closedAs.toLowerCase()}, from outside the run`;
  return 'since' in source ? `${source.state}, since ${relativeText(source.since, Date.now())}` : source.state;
}

function sleepNote(reading: KnownReading): string {
  return reading.kind === 'asleep'
    ? 'no worker answers, so this is what the run last wrote down; "nightshift up" starts one'
    : 'it was started by something else';
}

function callLines(source: RunView | RunMemo): readonly string[] {
  if (!('calls' in source) || source.calls.length === 0) return [];
  return source.calls.map(
    ({ tool, summary, status }) => `  ${status.padEnd(17)} ${shortLine(tool, 30)} · ${shortLine(summary, 140)}`,
  );
}

function todoLines(source: RunView | RunMemo): readonly string[] {
  if (!('todos' in source) || source.todos.length === 0) return [];
  return [...source.todos.map((todo) => todoLine(todo)), todoCount(source.todos)];
}

/** What the agent keeps and delivered; in the memo of a run that ended, its result has it. */
function keptRows(source: RunView | RunMemo): readonly (readonly [string, string])[] {
  if (!('missingOutputs' in source)) return source.result === null ? [] : deliveryRows(source.result);
  const { notes, outputs, missingOutputs, result } = source;
  return [
    ...(notes === '' ? [] : [['Notes', shortLine(notes, 300)] as const]),
    ...deliveryRows(result ?? { outputs }),
    ...(missingOutputs.length === 0 ? [] : [['Missing', missingOutputs.join(', ')] as const]),
  ];
}

/** Who used what, where more than one kind of call did. */
function spendingLines({ totals }: RunView | RunMemo, colors: Colors): readonly string[] {
  const { spending = [] } = totals;
  if (spending.length === 0) return [];
  const [head = '', ...rows] = tableText(SPENDING_HEAD, spendingRows(spending)).split('\n');
  return ['', `  ${colors.dim(head)}`, ...rows.map((line) => `  ${line}`)];
}

function answerLines({ result }: RunView | RunMemo): readonly string[] {
  return result === null || result.answer === '' ? [] : ['', ...visibleLines(result.answer)];
}
