import type { RunEvent } from '../../contract/events.ts';
import type { AssistantBlock, AssistantMessage, Message, UserMessage } from '../../contract/messages.ts';
import type { Rebuilt } from '../../worker/rebuild/rebuilt.ts';
import type { Colors } from '../terminal.ts';
import type { EventLines } from './event-lines.ts';
import { spanText } from './times.ts';
import { shortLine } from './visible.ts';

/** What turns are read from: the events of a run, and its messages where they are at hand. */
export type Told = Exclude<Rebuilt, { readonly kind: 'spec' | 'end' }>;

/** One turn as it can be read: what was thought, what was done, and what came of it, in order. */
export interface Turn {
  /** From 1; 0 for what happened before the first turn that is told. */
  readonly number: number;
  readonly steps: readonly Step[];
}

/**
 * - `thought`: the thinking before the words, as far as the API shows it; `words`: what was said with the calls;
 *   `answer`: what was said without any; `plan`: what was written before anything was done.
 * - `action` and `observation`: a call and its end. `input` is there where messages are.
 * - `block`: a block of the API itself, such as a search it made or a summary it signed, as JSON.
 * - `told`: what the model was told besides results: the task, words of people, an account of what was compacted.
 * - `event`: whatever else happened. `remark`: about the telling itself.
 */
export type Step =
  | { readonly kind: 'thought' | 'words' | 'answer' | 'plan' | 'block' | 'told' | 'remark'; readonly text: string }
  | Action
  | Observation
  | { readonly kind: 'event'; readonly event: RunEvent };

export interface Action {
  readonly kind: 'action';
  readonly callId: string;
  readonly tool: string;
  readonly summary: string;
  readonly input?: unknown;
}

export interface Observation {
  readonly kind: 'observation';
  readonly callId: string;
  readonly tool: string;
  readonly status: string;
  readonly error?: string;
  readonly durationMs: number;
  readonly text: string;
}

interface Story {
  readonly turns: { readonly number: number; readonly steps: Step[] }[];
  /** Where the observation of a call stands, so that its whole text can take the place of the event's. */
  readonly observed: Map<string, { readonly steps: Step[]; readonly at: number }>;
  readonly acted: Set<string>;
  readonly inputs: Map<string, unknown>;
  /** The steps of the last reply, which its message takes the place of when it follows. */
  reply: { readonly kind: 'turn' | 'plan'; readonly from: number } | null;
}

/** Reads turns from what is told of a run. Texts are whole where messages are, and else as the events have them. */
export function turnsOf(told: readonly Told[]): readonly Turn[] {
  const story: Story = {
    turns: [{ number: 0, steps: [] }],
    observed: new Map(),
    acted: new Set(),
    inputs: new Map(),
    reply: null,
  };
  for (const item of told) take(story, item);
  return story.turns.filter(({ steps }) => steps.length > 0);
}

function take(story: Story, item: Told): void {
  const { reply } = story;
  story.reply = null;
  switch (item.kind) {
    case 'event':
      return takeEvent(story, item.event);
    case 'message':
      return takeMessage(story, { message: item.message, reply });
    case 'segment':
      return push(story, { kind: 'remark', text: segmentText(item) });
    case 'gap':
      return push(story, { kind: 'remark', text: gapText(item) });
    case 'missing':
      return push(story, { kind: 'remark', text: missingText(item.execution) });
  }
}

/** Told by the turns themselves. */
const SILENT: ReadonlySet<RunEvent['type']> = new Set(['run.state', 'run.started', 'run.continued']);

function takeEvent(story: Story, event: RunEvent): void {
  switch (event.type) {
    case 'model.replied':
      story.turns.push({ number: event.turn, steps: [] });
      story.reply = { kind: 'turn', from: 0 };
      return push(story, ...spoken({ thought: event.thought ?? '', words: event.text, calls: event.calls }));
    case 'plan.made':
      story.reply = { kind: 'plan', from: stepsOf(story).length };
      return push(story, { kind: 'plan', text: event.text });
    case 'tool.proposed':
    case 'tool.started':
      return act(story, event);
    case 'tool.ended':
      return observe(story, event);
    default:
      if (!SILENT.has(event.type)) push(story, { kind: 'event', event });
  }
}

function act(story: Story, { callId, tool, summary }: Omit<Action, 'kind' | 'input'>): void {
  if (story.acted.has(callId)) return;
  story.acted.add(callId);
  const input = story.inputs.has(callId) ? { input: story.inputs.get(callId) } : {};
  push(story, { kind: 'action', callId, tool, summary, ...input });
}

function observe(story: Story, { type: _type, ...event }: Extract<RunEvent, { type: 'tool.ended' }>): void {
  const { callId, tool, status, error, durationMs, text } = event;
  act(story, { callId, tool, summary: '' });
  const steps = stepsOf(story);
  story.observed.set(callId, { steps, at: steps.length });
  const why = error === undefined ? {} : { error };
  push(story, { kind: 'observation', callId, tool, status, ...why, durationMs, text });
}

function takeMessage(story: Story, { message, reply }: { message: Message; reply: Story['reply'] }): void {
  if (message.role === 'user') return takeWords(story, message);
  for (const block of message.content) if (block.type === 'tool_use') story.inputs.set(block.id, block.input);
  if (reply !== null) stepsOf(story).splice(reply.from);
  const whole = spoken(partsOf(message));
  push(story, ...(reply?.kind === 'plan' ? whole.map(asPlan) : whole), ...message.content.flatMap(blockOf));
}

function blockOf(block: AssistantBlock): readonly Step[] {
  return block.type === 'other' ? [{ kind: 'block', text: JSON.stringify(block.block, null, 2) }] : [];
}

function asPlan(step: Step): Step {
  return step.kind === 'answer' || step.kind === 'words' ? { ...step, kind: 'plan' } : step;
}

/** Results take the place of what their events told; other words stand for themselves. */
function takeWords(story: Story, { content }: UserMessage): void {
  for (const block of content) {
    if (block.type === 'text') push(story, { kind: 'told', text: block.text });
    else {
      const place = story.observed.get(block.tool_use_id);
      const before = place?.steps[place.at];
      if (place !== undefined && before?.kind === 'observation')
        place.steps[place.at] = { ...before, text: block.content };
    }
  }
}

interface Spoken {
  readonly thought: string;
  readonly words: string;
  readonly calls: number;
}

function spoken({ thought, words, calls }: Spoken): readonly Step[] {
  const said = { kind: calls > 0 ? ('words' as const) : ('answer' as const), text: words };
  return [{ kind: 'thought' as const, text: thought }, said].filter(({ text }) => text.trim() !== '');
}

function partsOf({ content }: AssistantMessage): Spoken {
  const thought = content.flatMap((block) => (block.type === 'thinking' ? [block.thinking] : []));
  const words = content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  const calls = content.filter(({ type }) => type === 'tool_use').length;
  return { thought: thought.join('\n\n'), words: words.join('\n\n'), calls };
}

function stepsOf({ turns }: Story): Step[] {
  return turns.at(-1)?.steps ?? [];
}

function push(story: Story, ...steps: readonly Step[]): void {
  stepsOf(story).push(...steps);
}

function segmentText({ head, kept }: Extract<Told, { kind: 'segment' }>): string {
  return `From here on the model sees the first ${head}, an account of what was compacted, and the last ${kept} of the messages above`;
}

function gapText({ from, to }: Extract<Told, { kind: 'gap' }>): string {
  const which = from === to ? `Event ${from} was` : `Events ${from} to ${to} were`;
  return `${which} dropped before they could be kept: too much happened at once. The messages are whole`;
}

function missingText(execution: string): string {
  return `The server no longer keeps the execution ${execution} of this run, nor any before it that is not told here; what later ones carried on from it follows`;
}

const WORDS_CHARACTERS = 200;

/** A turn in few lines: each thought, action and observation cut to one. */
export function turnLines(
  { number, steps }: Turn,
  { colors, lines }: { readonly colors: Colors; readonly lines: EventLines },
): readonly string[] {
  const heading = number === 0 ? 'Before the first turn' : `Turn ${number}`;
  const told = steps.flatMap((step) => stepLines(step, { colors, lines }));
  return told.length === 0 ? [] : [`  ${colors.bold(heading)}`, ...told];
}

function stepLines(step: Step, { colors, lines }: { colors: Colors; lines: EventLines }): readonly string[] {
  const row = (name: string, text: string): readonly string[] => [`    ${colors.dim(name.padEnd(12))} ${text}`];
  switch (step.kind) {
    case 'event':
      return lines.of(step.event);
    case 'action':
      return row('Action', callText(step));
    case 'observation':
      return row('Observation', observationText(step, colors));
    default:
      return row(LABELS[step.kind], shortLine(step.text, WORDS_CHARACTERS));
  }
}

const LABELS = {
  thought: 'Thought',
  words: 'Said',
  answer: 'Answer',
  plan: 'Plan',
  block: 'Block',
  told: 'Told',
  remark: 'Note',
} as const;

function callText({ tool, summary }: Action): string {
  const words = summary === '' ? '' : ` · ${shortLine(summary, WORDS_CHARACTERS)}`;
  return `${shortLine(tool, 40)}${words}`;
}

function observationText({ tool, text, ...end }: Observation, colors: Colors): string {
  return `${shortLine(tool, 40)} · ${statusText(end, colors)} · ${shortLine(text, WORDS_CHARACTERS)}`;
}

function statusText(
  { status, error, durationMs }: Pick<Observation, 'status' | 'error' | 'durationMs'>,
  colors: Colors,
): string {
  const paint = status === 'success' ? colors.green : status === 'error' ? colors.red : colors.yellow;
  const why = error === undefined || error === status ? '' : ` (${shortLine(error, 40)})`;
  return `${paint(shortLine(status, 12))}${why} · ${spanText(durationMs)}`;
}
