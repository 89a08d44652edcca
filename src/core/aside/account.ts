import type { AssistantMessage, Message, ToolResultBlock, UserMessage } from '../../contract/messages.ts';
import { toolUses } from '../replies.ts';
import { oneLine, utf8Bytes } from '../sizes.ts';
import { quoted } from './quote.ts';

export interface AccountSize {
  /** The newest so many turns are shown. */
  readonly turns: number;
  /** UTF-8 bytes of the whole account, at most; never less than 2,000. */
  readonly bytesMax: number;
  /** What the run is for, where the transcript may no longer begin with it. */
  readonly task?: string;
}

/** Parts of one turn that are shown; more calls than these are counted. */
const PARTS_MAX = 40;

/** Bytes for our own words: headings, and what says that something is left out. */
const HEADINGS_BYTES = 600;

const PART_BYTES_MIN = 120;

/**
 * What happened, for a model that judges it without having taken part: first the task and what was said to the agent,
 * word for word, then the newest turns with what was thought, said, called and found. Everything that is not ours is
 * quoted line by line. Long parts are cut in the middle, and what does not fit is left out from the oldest turn on.
 */
export function accountOfTurns(messages: readonly Message[], { turns, bytesMax, task }: AccountSize): string {
  const room = Math.max(2_000, bytesMax) - HEADINGS_BYTES;
  const words = wordsIn(messages, task);
  const spoken = words.length === 0 ? '' : fill(words, Math.floor(room / 2), 'words that were said later');
  const all = turnsIn(messages);
  const shown = all.slice(-turns);
  const account = fillTurns(shown, room - utf8Bytes(spoken));
  const first = all.length - account.length + 1;
  const head = account.length === 0 ? 'The agent has not taken a turn yet.' : headOf(first, all.length);
  return [TASK_HEAD, spoken, head, ...account].filter((part) => part !== '').join('\n\n');
}

const TASK_HEAD = 'The task, and what was said to the agent since, oldest first:';

function headOf(first: number, last: number): string {
  return first === 1 ? `All ${last} turns, oldest first:` : `The newest turns, ${first} to ${last}, oldest first:`;
}

/** The task and the texts that came alone, as people's words do; what stands beside results belongs to its turn. */
function wordsIn(messages: readonly Message[], task?: string): readonly string[] {
  const words = messages.flatMap((message, index) => {
    if (index === 0 && message.role === 'assistant') return summariesIn(message);
    return message.role === 'user' && resultsIn(message).length === 0 ? textsIn(message) : [];
  });
  return task === undefined || words[0] === task ? words : [task, ...words];
}

/** A summary that the API signed stands at the head of the conversation, in place of the turns it tells of. */
export function summariesIn({ content }: AssistantMessage): readonly string[] {
  return content.flatMap((block) => {
    const text = block.type === 'other' && block.block['type'] === 'compaction' ? block.block['content'] : null;
    return typeof text === 'string' ? [`(summary of earlier turns)\n${text}`] : [];
  });
}

function textsIn({ content }: UserMessage): readonly string[] {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
}

function resultsIn({ content }: UserMessage): readonly ToolResultBlock[] {
  return content.filter((block) => block.type === 'tool_result');
}

/** The first and as many of the newest as fit: what was asked in the beginning and what was said last counts most. */
function fill([first = '', ...rest]: readonly string[], bytesMax: number, what: string): string {
  const head = quoted(first, rest.length === 0 ? bytesMax : Math.floor(bytesMax / 2));
  let left = bytesMax - utf8Bytes(head);
  const newest: string[] = [];
  for (const text of rest.toReversed()) {
    const part = quoted(text, left);
    if (left < PART_BYTES_MIN || utf8Bytes(part) > left) break;
    newest.unshift(part);
    left -= utf8Bytes(part) + 2;
  }
  const missing = rest.length - newest.length;
  const note = missing === 0 ? [] : [`(${missing} ${what} are left out here.)`];
  return [head, ...note, ...newest].join('\n\n');
}

interface Turn {
  readonly number: number;
  readonly reply: AssistantMessage;
  readonly results: readonly ToolResultBlock[];
  /** What stood beside the results, such as a reminder. */
  readonly beside: readonly string[];
}

function turnsIn(messages: readonly Message[]): readonly Turn[] {
  const replies = messages.flatMap((message, index) =>
    message.role === 'assistant' && (index > 0 || summariesIn(message).length === 0) ? [{ message, index }] : [],
  );
  return replies.map(({ message, index }, position) => {
    const next = messages[index + 1];
    const results = next?.role === 'user' ? resultsIn(next) : [];
    const beside = next?.role === 'user' && results.length > 0 ? textsIn(next) : [];
    return { number: position + 1, reply: message, results, beside };
  });
}

/** Gives the newest turn up to twice its share, and what a turn does not need to those before it. */
function fillTurns(turns: readonly Turn[], bytesMax: number): readonly string[] {
  const told: string[] = [];
  let left = bytesMax;
  for (const turn of turns.toReversed()) {
    const share = Math.floor((2 * left) / (turns.length - told.length + 1));
    const text = turnText(turn, Math.min(left, share));
    if (utf8Bytes(text) + 2 > left) break;
    told.unshift(text);
    left -= utf8Bytes(text) + 2;
  }
  return told;
}

interface Part {
  readonly label: string;
  readonly text: string;
}

function turnText(turn: Turn, bytesMax: number): string {
  const all = partsOf(turn);
  const parts = all.slice(0, Math.max(1, Math.min(PARTS_MAX, Math.floor(bytesMax / PART_BYTES_MIN))));
  let left = bytesMax - 80;
  const texts = parts.map(({ label, text }, index) => {
    const share = Math.floor(left / (parts.length - index)) - utf8Bytes(label) - 2;
    const part = `${label}\n${quoted(text, share)}`;
    left -= utf8Bytes(part) + 1;
    return part;
  });
  const note =
    all.length > parts.length ? [`(${all.length - parts.length} more parts of this turn are left out.)`] : [];
  const end = toolUses(turn.reply).length === 0 ? ['(It asked for no tool in this turn.)'] : [];
  return [`Turn ${turn.number}`, ...texts, ...note, ...end].join('\n');
}

function partsOf({ reply, results, beside }: Turn): readonly Part[] {
  const said = reply.content.flatMap((block): readonly Part[] => {
    if (block.type === 'thinking' && block.thinking.trim() !== '') return [{ label: 'thought:', text: block.thinking }];
    return block.type === 'text' ? [{ label: 'said:', text: block.text }] : [];
  });
  const done = toolUses(reply).flatMap(({ id, name, input }): readonly Part[] => [
    { label: 'called:', text: `${oneLine(name, 128)} ${JSON.stringify(input) ?? ''}` },
    ...results.filter(({ tool_use_id: of }) => of === id).map(resultPart),
  ]);
  return [...said, ...done, ...beside.map((text) => ({ label: 'was told:', text }))];
}

function resultPart({ content, is_error: failed }: ToolResultBlock): Part {
  return { label: failed === true ? 'failed:' : 'got:', text: content === '' ? '(nothing)' : content };
}
