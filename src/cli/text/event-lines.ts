import { EMIT_VALUE, NOTES, TODO } from '../../contract/control-tools.ts';
import type { ApprovalKind } from '../../contract/approvals.ts';
import type { RunEvent } from '../../contract/events.ts';
import type { Colors } from '../terminal.ts';
import { judgementLine, type Line, type LineSituation } from './judgement-lines.ts';
import { clockText, spanText } from './times.ts';
import { shortLine } from './visible.ts';

/** Where words of others are cut when nothing else is said. */
const WORDS_CHARACTERS = 160;

/** Reads are over in a moment, so one line tells of both their start and their end. */
const QUICK_TOOLS: ReadonlySet<string> = new Set(['ls', 'glob', 'grep', 'read_file']);

export interface EventLines {
  /** The lines that tell of an event; none for those that tell nothing new. */
  readonly of: (event: RunEvent) => readonly string[];
  /** The same without sign and time; null for those that tell nothing new. */
  readonly bare: (event: RunEvent) => string | null;
}

type EventOf<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;

/** Tells the events of one run as short lines, each with the time since its start. */
export function createEventLines(colors: Colors, charactersMax = WORDS_CHARACTERS): EventLines {
  let startedAt: number | null = null;
  const summaries = new Map<string, string>();
  const kinds = new Map<string, ApprovalKind>();
  const learn = (event: RunEvent): Line | null => {
    startedAt ??= event.at;
    if (event.type === 'approval.requested') kinds.set(event.id, event.kind);
    if (event.type === 'tool.started' || event.type === 'tool.proposed') summaries.set(event.callId, event.summary);
    return lineOf(event, { colors, summaries, kinds, charactersMax });
  };
  return {
    of(event) {
      const line = learn(event);
      if (line === null) return [];
      const clock = colors.dim(clockText(event.at - (startedAt ?? event.at)).padStart(8));
      return [`${clock}  ${line.icon} ${line.word.padEnd(8)} ${line.text}`];
    },
    bare(event) {
      const line = learn(event);
      return line === null ? null : `${line.word} · ${line.text}`;
    },
  };
}

interface Situation extends LineSituation {
  readonly kinds: ReadonlyMap<string, ApprovalKind>;
}

function lineOf(event: RunEvent, situation: Situation): Line | null {
  if (event.type.startsWith('tool.'))
    return toolLine(event as EventOf<'tool.started' | 'tool.ended' | 'tool.proposed'>, situation);
  if (event.type.startsWith('approval.')) return approvalLine(event as ApprovalEvent, situation);
  if (event.type.startsWith('run.')) return runLine(event, situation);
  return wordsLine(event, situation) ?? judgementLine(event, situation);
}

function wordsLine(event: RunEvent, { colors, charactersMax }: Situation): Line | null {
  switch (event.type) {
    case 'model.replied':
      return { icon: colors.cyan('●'), word: 'model', text: modelText(event, charactersMax) };
    case 'model.problem':
      return {
        icon: colors.yellow('!'),
        word: 'model',
        text: `turn ${event.turn} · ${shortLine(event.problem, charactersMax)}`,
      };
    case 'message.received':
      return {
        icon: colors.magenta('»'),
        word: 'message',
        text: `from ${shortLine(event.by, 40)}: ${shortLine(event.text, charactersMax)}`,
      };
    case 'message.refused':
      return {
        icon: colors.red('✗'),
        word: 'message',
        text: `from ${shortLine(event.by, 40)} refused: ${shortLine(event.message, charactersMax)}`,
      };
    case 'limit.reached':
      return {
        icon: colors.yellow('!'),
        word: 'limit',
        text: `${event.limit}: ${shortLine(event.message, charactersMax)}`,
      };
    default:
      return null;
  }
}

function modelText({ turn, text, calls, usage }: EventOf<'model.replied'>, charactersMax: number): string {
  const words = text.trim() === '' ? '' : ` · ${shortLine(text, charactersMax)}`;
  const asks = calls === 0 ? '' : ` (${calls} call${calls === 1 ? '' : 's'})`;
  return `turn ${turn}${words}${asks}${usage.output > 0 ? '' : ' · no tokens'}`;
}

/** Tools whose success is an event of its own. */
const TELLING: ReadonlySet<string> = new Set([TODO, NOTES, EMIT_VALUE]);

function toolLine(event: EventOf<'tool.started' | 'tool.ended' | 'tool.proposed'>, situation: Situation): Line | null {
  const { colors, charactersMax } = situation;
  if (event.type === 'tool.proposed') return null;
  if (event.type === 'tool.started') {
    if (QUICK_TOOLS.has(event.tool)) return null;
    return {
      icon: colors.blue('→'),
      word: 'start',
      text: toolText(event.tool, shortLine(event.summary, charactersMax)),
    };
  }
  return TELLING.has(event.tool) && event.status === 'success' ? null : endedLine(event, situation);
}

function endedLine(event: EventOf<'tool.ended'>, { colors, summaries, charactersMax }: Situation): Line {
  const summary = toolText(event.tool, shortLine(summaries.get(event.callId) ?? '', charactersMax));
  const took = colors.dim(event.durationMs >= 50 ? ` · ${spanText(event.durationMs)}` : '');
  if (event.status === 'success') return { icon: colors.green('✓'), word: 'done', text: `${summary}${took}` };
  const why = `${event.error ?? event.status}: ${shortLine(event.text.replace(/^[a-z_]+: /u, ''), charactersMax)}`;
  const icon = event.status === 'error' ? colors.red('✗') : colors.yellow('✗');
  return { icon, word: shortLine(event.status, 12), text: `${summary}${took} · ${why}` };
}

function toolText(tool: string, summary: string): string {
  return `${shortLine(tool, 40)} · ${summary}`;
}

type ApprovalEvent = EventOf<'approval.requested' | 'approval.decided' | 'approval.refused'>;

/** Leave is one thing, and something that only a person knows is another. */
function wordOf(kind: ApprovalKind | undefined): string {
  return kind === undefined || kind === 'approve' ? 'approval' : 'question';
}

function approvalLine(event: ApprovalEvent, { colors, kinds, charactersMax }: Situation): Line {
  const word = wordOf(kinds.get(event.id));
  switch (event.type) {
    case 'approval.requested':
      return {
        icon: colors.yellow('?'),
        word,
        text: `${event.id} · ${shortLine(event.title, charactersMax)} · ${shortLine(event.reason, charactersMax)}`,
      };
    case 'approval.decided': {
      const note = event.note === undefined ? '' : `: ${shortLine(event.note, charactersMax)}`;
      const icon = event.status === 'approved' || event.status === 'answered' ? colors.green('✓') : colors.yellow('✗');
      return { icon, word, text: `${event.id} · ${event.status} by ${shortLine(event.by, 40)}${note}` };
    }
    case 'approval.refused':
      return {
        icon: colors.red('✗'),
        word,
        text: `${shortLine(event.id, 140)} · answer of ${shortLine(event.by, 40)} refused: ${shortLine(event.message, Math.max(300, charactersMax))}`,
      };
  }
}

function runLine(event: RunEvent, { colors, charactersMax }: Situation): Line | null {
  switch (event.type) {
    case 'run.started':
      return { icon: colors.cyan('●'), word: 'started', text: startText(event) };
    case 'run.state':
      return stateLine(event, charactersMax);
    case 'run.parked': {
      const { reason, message } = event.parked;
      return {
        icon: colors.yellow('!'),
        word: 'parked',
        text: `${reason}: ${shortLine(message, Math.max(400, charactersMax))}`,
      };
    }
    case 'run.paused':
    case 'run.resumed':
    case 'run.cancel_requested':
      return { icon: colors.magenta('»'), word: event.type.slice(4, 12), text: `by ${shortLine(event.by, 40)}` };
    case 'run.compacted':
      return { icon: '·', word: 'compact', text: compactText(event) };
    case 'run.ended':
      return endLine(event, colors);
    default:
      return null;
  }
}

function startText({ agent, model, offline }: EventOf<'run.started'>): string {
  return `${shortLine(agent, 64)} · ${shortLine(model, 64)}${offline ? ' · OFFLINE model' : ''}`;
}

function compactText({ messagesBefore, messagesAfter, by }: EventOf<'run.compacted'>): string {
  const author = by === undefined ? '' : ` · ${{ api: 'by the API', model: 'by a model', rule: 'by rule' }[by]}`;
  return `${messagesBefore} messages became ${messagesAfter}${author}`;
}

/** Ordinary states come and go with the calls that are told anyway. */
function stateLine({ state, now }: EventOf<'run.state'>, charactersMax: number): Line | null {
  if (state === 'finishing') return { icon: '·', word: 'closing', text: 'the last words are written' };
  return state === 'compacting' ? { icon: '·', word: 'compact', text: shortLine(now, charactersMax) } : null;
}

function endLine({ outcome }: EventOf<'run.ended'>, colors: Colors): Line {
  const paint = outcome.status === 'completed' ? colors.green : colors.yellow;
  return { icon: paint('■'), word: 'ended', text: outcome.status };
}
