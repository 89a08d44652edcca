import type { ApprovalKind } from '../../contract/approvals.ts';
import { TODO } from '../../contract/control-tools.ts';
import type { RunEvent } from '../../contract/events.ts';
import type { Colors } from '../terminal.ts';
import { clockText, spanText } from './times.ts';
import { shortLine } from './visible.ts';

const WORDS_CHARACTERS = 160;

/** Reads are over in a moment, so one line tells of both their start and their end. */
const QUICK_TOOLS: ReadonlySet<string> = new Set(['ls', 'glob', 'grep', 'read_file']);

export interface EventLines {
  /** The lines that tell of an event; none for those that tell nothing new. */
  readonly of: (event: RunEvent) => readonly string[];
}

type EventOf<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;

interface Line {
  readonly icon: string;
  readonly word: string;
  readonly text: string;
}

/** Tells the events of one run as short lines, each with the time since its start. */
export function createEventLines(colors: Colors): EventLines {
  let startedAt: number | null = null;
  const summaries = new Map<string, string>();
  const kinds = new Map<string, ApprovalKind>();
  return {
    of(event) {
      startedAt ??= event.at;
      if (event.type === 'approval.requested') kinds.set(event.id, event.kind);
      if (event.type === 'tool.started' || event.type === 'tool.proposed') summaries.set(event.callId, event.summary);
      const line = lineOf(event, { colors, summaries, kinds });
      if (line === null) return [];
      const clock = colors.dim(clockText(event.at - startedAt).padStart(8));
      return [`${clock}  ${line.icon} ${line.word.padEnd(8)} ${line.text}`];
    },
  };
}

interface Situation {
  readonly colors: Colors;
  readonly summaries: ReadonlyMap<string, string>;
  readonly kinds: ReadonlyMap<string, ApprovalKind>;
}

function lineOf(event: RunEvent, situation: Situation): Line | null {
  if (event.type.startsWith('tool.'))
    return toolLine(event as EventOf<'tool.started' | 'tool.ended' | 'tool.proposed'>, situation);
  if (event.type.startsWith('approval.')) return approvalLine(event as ApprovalEvent, situation);
  if (event.type.startsWith('run.')) return runLine(event, situation);
  return wordsLine(event, situation);
}

function wordsLine(event: RunEvent, { colors }: Situation): Line | null {
  switch (event.type) {
    case 'model.replied':
      return { icon: colors.cyan('●'), word: 'model', text: modelText(event) };
    case 'model.problem':
      return {
        icon: colors.yellow('!'),
        word: 'model',
        text: `turn ${event.turn} · ${shortLine(event.problem, WORDS_CHARACTERS)}`,
      };
    case 'message.received':
      return {
        icon: colors.magenta('»'),
        word: 'message',
        text: `from ${shortLine(event.by, 40)}: ${shortLine(event.text, WORDS_CHARACTERS)}`,
      };
    case 'message.refused':
      return {
        icon: colors.red('✗'),
        word: 'message',
        text: `from ${shortLine(event.by, 40)} refused: ${shortLine(event.message, WORDS_CHARACTERS)}`,
      };
    case 'limit.reached':
      return {
        icon: colors.yellow('!'),
        word: 'limit',
        text: `${event.limit}: ${shortLine(event.message, WORDS_CHARACTERS)}`,
      };
    default:
      return null;
  }
}

function modelText({ turn, text, calls, usage }: EventOf<'model.replied'>): string {
  const words = text.trim() === '' ? '' : ` · ${shortLine(text, WORDS_CHARACTERS)}`;
  const asks = calls === 0 ? '' : ` (${calls} call${calls === 1 ? '' : 's'})`;
  return `turn ${turn}${words}${asks}${usage.output > 0 ? '' : ' · no tokens'}`;
}

function toolLine(
  event: EventOf<'tool.started' | 'tool.ended' | 'tool.proposed'>,
  { colors, summaries }: Situation,
): Line | null {
  if (event.type === 'tool.proposed') return null;
  if (event.type === 'tool.started') {
    if (QUICK_TOOLS.has(event.tool)) return null;
    return { icon: colors.blue('→'), word: 'start', text: toolText(event.tool, event.summary) };
  }
  const summary = toolText(event.tool, summaries.get(event.callId) ?? '');
  const took = colors.dim(event.durationMs >= 50 ? ` · ${spanText(event.durationMs)}` : '');
  if (event.status === 'success')
    return { icon: colors.green('✓'), word: 'done', text: `${doneText(event, summary)}${took}` };
  const why = `${event.error ?? event.status}: ${shortLine(event.text.replace(/^[a-z_]+: /u, ''), WORDS_CHARACTERS)}`;
  const icon = event.status === 'error' ? colors.red('✗') : colors.yellow('✗');
  return { icon, word: shortLine(event.status, 12), text: `${summary}${took} · ${why}` };
}

/** Of the list of what is to be done, people want to know how far it is. */
function doneText({ tool, text }: EventOf<'tool.ended'>, summary: string): string {
  return tool === TODO ? toolText(tool, text) : summary;
}

function toolText(tool: string, summary: string): string {
  return `${shortLine(tool, 40)} · ${shortLine(summary, WORDS_CHARACTERS)}`;
}

type ApprovalEvent = EventOf<'approval.requested' | 'approval.decided' | 'approval.refused'>;

/** Leave is one thing, and something that only a person knows is another. */
function wordOf(kind: ApprovalKind | undefined): string {
  return kind === undefined || kind === 'approve' ? 'approval' : 'question';
}

function approvalLine(event: ApprovalEvent, { colors, kinds }: Situation): Line {
  const word = wordOf(kinds.get(event.id));
  switch (event.type) {
    case 'approval.requested':
      return {
        icon: colors.yellow('?'),
        word,
        text: `${event.id} · ${shortLine(event.title, WORDS_CHARACTERS)} · ${shortLine(event.reason, 100)}`,
      };
    case 'approval.decided': {
      const note = event.note === undefined ? '' : `: ${shortLine(event.note, WORDS_CHARACTERS)}`;
      const icon = event.status === 'approved' || event.status === 'answered' ? colors.green('✓') : colors.yellow('✗');
      return { icon, word, text: `${event.id} · ${event.status} by ${shortLine(event.by, 40)}${note}` };
    }
    case 'approval.refused':
      return {
        icon: colors.red('✗'),
        word,
        text: `${shortLine(event.id, 140)} · answer of ${shortLine(event.by, 40)} refused: ${shortLine(event.message, 300)}`,
      };
  }
}

function runLine(event: RunEvent, { colors }: Situation): Line | null {
  switch (event.type) {
    case 'run.started':
      return { icon: colors.cyan('●'), word: 'started', text: startText(event) };
    case 'run.state':
      return stateLine(event);
    case 'run.parked': {
      const { reason, message } = event.parked;
      return { icon: colors.yellow('!'), word: 'parked', text: `${reason}: ${shortLine(message, 400)}` };
    }
    case 'run.paused':
    case 'run.resumed':
    case 'run.cancel_requested':
      return { icon: colors.magenta('»'), word: event.type.slice(4, 12), text: `by ${shortLine(event.by, 40)}` };
    case 'run.compacted':
      return { icon: '·', word: 'compact', text: `${event.messagesBefore} messages became ${event.messagesAfter}` };
    case 'run.ended':
      return endLine(event, colors);
    default:
      return null;
  }
}

function startText({ agent, model, offline }: EventOf<'run.started'>): string {
  return `${shortLine(agent, 64)} · ${shortLine(model, 64)}${offline ? ' · OFFLINE model' : ''}`;
}

/** Ordinary states come and go with the calls that are told anyway. */
function stateLine({ state, now }: EventOf<'run.state'>): Line | null {
  if (state !== 'finishing' && state !== 'compacting') return null;
  return { icon: '·', word: state.slice(0, 8), text: shortLine(now, WORDS_CHARACTERS) };
}

function endLine({ outcome }: EventOf<'run.ended'>, colors: Colors): Line {
  const paint = outcome.status === 'completed' ? colors.green : colors.yellow;
  return { icon: paint('■'), word: 'ended', text: outcome.status };
}
