import {
  INBOX_BYTES_MAX,
  INBOX_DRAIN_BYTES,
  INSTRUCTIONS_BYTES_MAX,
  MESSAGE_BYTES_MAX,
} from '../../contract/limits.ts';
import { startAnew } from '../loops/observe.ts';
import { eventText, note, sayAsUser, type Instruction, type QueuedMessage, type Run } from '../run.ts';
import { jsonBytes } from '../sizes.ts';

/** Why a message cannot be taken, or null when it can. */
export function messageRefusal(run: Run, message: QueuedMessage): string | null {
  const bytes = jsonBytes(message);
  if (run.result !== null) return 'Cannot send the message: the run has ended';
  if (bytes > MESSAGE_BYTES_MAX)
    return `Cannot send the message: it has ${bytes} bytes, at most ${MESSAGE_BYTES_MAX} are taken`;
  if (run.inboxBytes + bytes <= INBOX_BYTES_MAX) return null;
  return `Cannot send the message: ${run.inbox.length} messages wait already; send it again when the run has heard some`;
}

/** Ids remembered; far more than can be on their way twice at the same time. */
const IDS_KEPT = 100;

/** Takes a message in, or records that it was refused; nothing is dropped unseen. */
export function receive(run: Run, message: QueuedMessage, now: number): Run {
  const { id } = message;
  if (id !== undefined && run.receivedIds.includes(id)) return run;
  const refusal = messageRefusal(run, message);
  if (refusal !== null) return note(run, now, { type: 'message.refused', by: message.by, message: refusal });
  const queued = {
    ...run,
    inbox: [...run.inbox, message],
    inboxBytes: run.inboxBytes + jsonBytes(message),
    receivedIds: id === undefined ? run.receivedIds : [...run.receivedIds, id].slice(-IDS_KEPT),
  };
  return note(queued, now, { type: 'message.received', by: message.by, text: eventText(message.text) });
}

/**
 * Lets the model hear what people said. Called between turns, never between a call and its result; a flood is
 * heard in parts, so that no turn grows past its size. Words that arrive while the run completes make it go on.
 */
export function hear(run: Run): Run {
  if (run.inbox.length === 0 || (run.ending !== null && run.ending.status !== 'completed')) return run;
  // A turn the API has paused must be sent back as it is, with nothing after it.
  if (run.ending === null && run.messages.at(-1)?.role === 'assistant') return run;
  let bytes = 0;
  const fits = run.inbox.findIndex((message) => (bytes += jsonBytes(message)) > INBOX_DRAIN_BYTES);
  const heard = run.inbox.slice(0, fits < 0 ? run.inbox.length : Math.max(1, fits));
  const inbox = run.inbox.slice(heard.length);
  const text = heard.map(({ by, text: words }) => `${by} says: ${words}`).join('\n\n');
  const inboxBytes = inbox.reduce((sum, message) => sum + jsonBytes(message), 0);
  const { instructions } = instruct(run, ...heard.map(({ by, text: words }) => ({ by, text: words })));
  // A person who says "again" makes no loop.
  const loop = { ...run.loop, memory: startAnew(run.loop.memory) };
  // What was to be asked about an answer is asked about the next one: these words have none yet.
  const reflectOn = run.ending === null ? run.reflectOn : null;
  return sayAsUser({ ...run, inbox, inboxBytes, instructions, loop, ending: null, completing: null, reflectOn }, text);
}

/** Keeps what a person told the agent. */
export function instruct(run: Run, ...said: readonly Instruction[]): Run {
  return { ...run, instructions: newestWithin([...run.instructions, ...said]) };
}

/** Word for word, and the newest first where it would be too much. */
function newestWithin(instructions: readonly Instruction[]): readonly Instruction[] {
  let bytes = 0;
  const tooMuch = instructions.findLastIndex((one) => (bytes += jsonBytes(one)) > INSTRUCTIONS_BYTES_MAX);
  return instructions.slice(tooMuch + 1);
}
