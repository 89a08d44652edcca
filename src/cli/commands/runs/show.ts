import type { Client } from '@temporalio/client';
import { watchRun } from '../../../client.ts';
import type { RunEvent } from '../../../contract/events.ts';
import type { RunMemo, RunView } from '../../../contract/run.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit-codes.ts';
import { envelope } from '../../following/output.ts';
import { outcomeText } from '../../following/run-end.ts';
import { totalRows } from '../../following/summary.ts';
import { idOfRun, readKnownRun, type KnownReading } from '../../named-run.ts';
import { runPage, withServer } from '../../server-access.ts';
import type { Colors } from '../../terminal.ts';
import { answerCommands, approvalText } from '../../text/approval-text.ts';
import { createEventLines } from '../../text/event-lines.ts';
import { relativeText } from '../../text/times.ts';
import { safeJson, shortLine, visible, visibleLines } from '../../text/visible.ts';

const EVENTS_SHOWN = 12;

/** Reading events must not hang on a worker that is gone. Milliseconds. */
const EVENTS_TIMEOUT_MS = 3_000;

interface Shown {
  readonly runId: string;
  readonly reading: KnownReading;
  readonly events: readonly RunEvent[];
  readonly temporalUrl: string | null;
}

export async function showOneRun(context: Context, name: string, json: boolean): Promise<number> {
  return await withServer(context, async (server) => {
    const runId = await idOfRun(server.client, name);
    const reading = await readKnownRun(server.client, runId);
    const events = reading.kind === 'asleep' ? [] : await lastEvents(server.client, runId, reading);
    const shown: Shown = { runId, reading, events, temporalUrl: runPage(server, runId) };
    context.terminal.print(json ? safeJson(asJson(shown), 2) : asText(context, shown).join('\n'));
    return EXIT.done;
  });
}

/** An ended run still tells its events while a worker can replay it. */
async function lastEvents(client: Client, runId: string, reading: KnownReading): Promise<readonly RunEvent[]> {
  const last = reading.kind === 'live' ? reading.view.lastEvent : Number.POSITIVE_INFINITY;
  const after = Number.isFinite(last) ? Math.max(0, last - EVENTS_SHOWN) : 0;
  const events: RunEvent[] = [];
  for await (const watched of watchRun(client, runId, { after, signal: AbortSignal.timeout(EVENTS_TIMEOUT_MS) })) {
    if (watched.kind !== 'event') {
      if (watched.kind === 'resync') continue;
      break;
    }
    events.push(watched.event);
    if (watched.event.seq >= last) break;
  }
  return events.slice(-EVENTS_SHOWN);
}

function asJson({ runId, reading, events, temporalUrl }: Shown): unknown {
  const source = sourceOf(reading);
  return {
    run_id: runId,
    /** `live`: told by the run itself; `asleep`: no worker answers, this is what it wrote down last; `ended`. */
    reading: reading.kind,
    ...(reading.kind === 'ended' ? { closed_as: reading.closedAs } : {}),
    ...source,
    events: events.map((event) => envelope(runId, event)),
    temporal_url: temporalUrl,
  };
}

function sourceOf(reading: KnownReading): RunView | RunMemo | null {
  return reading.kind === 'live' ? reading.view : reading.memo;
}

function asText({ terminal }: Context, { runId, reading, events, temporalUrl }: Shown): readonly string[] {
  const colors = terminal.outColors;
  const source = sourceOf(reading);
  const row = (name: string, value: string): string => `  ${colors.dim(name.padEnd(12))} ${visible(value)}`;
  if (source === null)
    return [
      colors.bold(runId),
      row('State', reading.kind === 'ended' ? reading.closedAs.toLowerCase() : 'queued'),
      row('Note', sleepNote(reading)),
    ];
  const open = source.approvals.filter(({ status }) => status === 'open');
  const lines = createEventLines(colors);
  return [
    `${colors.bold(runId)}  ${shortLine(source.title, 120)}`,
    row('State', stateText(source, reading)),
    row('Now', shortLine(source.now, 300)),
    row('Agent', source.agent),
    row('Model', `${source.model}${source.offline ? ' — OFFLINE: a fixed script stands in for a model' : ''}`),
    ...totalRows(source.totals).map(([name, value]) => row(name, value)),
    ...(temporalUrl === null ? [] : [row('Temporal UI', temporalUrl)]),
    ...(reading.kind === 'asleep' ? [row('Note', sleepNote(reading))] : []),
    ...todoLines(source, colors),
    ...callLines(source),
    ...open.flatMap((approval) => [
      '',
      ...approvalText(approval, { colors, now: Date.now() }),
      ...answerCommands(approval).map((command) => `  ${command}`),
    ]),
    ...(events.length === 0 ? [] : ['', colors.dim('  Last events'), ...events.flatMap((event) => lines.of(event))]),
    ...answerLines(source),
  ];
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

const TODO_MARKS = { open: ' ', doing: '~', done: 'x' } as const;

function todoLines(source: RunView | RunMemo, colors: Colors): readonly string[] {
  if (!('todos' in source) || source.todos.length === 0) return [];
  return source.todos.map(
    ({ text, status }, index) =>
      `  ${colors.dim((index === 0 ? 'To do' : '').padEnd(12))} [${TODO_MARKS[status]}] ${shortLine(text, 140)}`,
  );
}

function answerLines({ result }: RunView | RunMemo): readonly string[] {
  return result === null || result.answer === '' ? [] : ['', ...visibleLines(result.answer)];
}
