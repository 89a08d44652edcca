import pc from 'picocolors';
import type { Todo } from '../../contract/run.ts';
import { createEventLines, type EventLines } from './event-lines.ts';
import { type Action, type Observation, type Step, type Told, type Turn, turnsOf } from './react-text.ts';
import { spanText, timeText } from './times.ts';
import { todoCount, todoLine } from './todo-text.ts';
import { safeJson, visible } from './visible.ts';

/** What a document about a run is made of. */
export interface RunStory {
  readonly title: string;
  /** Name and value, such as the outcome. */
  readonly rows: readonly (readonly [name: string, value: string])[];
  readonly task: string;
  readonly answer: string;
  readonly outputs: Readonly<Record<string, unknown>>;
  /** Who used what: the head of the table and its rows; nothing where that is not known. */
  readonly spending: readonly (readonly string[])[];
  readonly told: readonly Told[];
}

/** Texts of events are cut where they are recorded, so nothing more need be cut. */
const EVENT_CHARACTERS_MAX = 100_000;

/**
 * A whole run as Markdown. Everything of others stands in fences that its own content cannot close, or is escaped, so
 * a document about an agent says nothing the agent wants it to say.
 */
export function runMarkdown(story: RunStory): string {
  const { title, rows, task, answer, outputs, spending, told } = story;
  const lines = createEventLines(pc.createColors(false), EVENT_CHARACTERS_MAX);
  const turns = turnsOf(told).map(withoutTask(task));
  return [
    `# ${escaped(title)}`,
    table([['', ''], ...rows]),
    section('Task', task === '' ? [] : [fenced(task)]),
    section('Answer', answer === '' ? [] : [fenced(answer)]),
    section(
      'Outputs',
      Object.entries(outputs).flatMap(([name, value]) => [`**${escaped(name)}**`, fenced(safeJson(value, 2), 'json')]),
    ),
    section('Cost', spending.length < 2 ? [] : [table(spending)]),
    section('Plan', planOf(told)),
    section(
      'Turns',
      turns.flatMap((turn) => turnParts(turn, lines)),
    ),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n');
}

/** The task has a place of its own. */
function withoutTask(task: string): (turn: Turn) => Turn {
  return ({ number, steps }) => ({
    number,
    steps: steps.filter((step) => step.kind !== 'told' || step.text !== task),
  });
}

function section(heading: string, parts: readonly string[]): string {
  return parts.length === 0 ? '' : [`## ${heading}`, ...parts].join('\n\n');
}

/** The newest list of what is to be done, or else the newest plan in words. */
function planOf(told: readonly Told[]): readonly string[] {
  const events = told.flatMap((item) => (item.kind === 'event' ? [item.event] : []));
  const updated = events.findLast((event) => event.type === 'plan.updated');
  if (updated !== undefined && updated.todos.length > 0) return [todoList(updated.todos)];
  const made = events.findLast((event) => event.type === 'plan.made');
  return made === undefined ? [] : [fenced(made.text)];
}

function todoList(todos: readonly Todo[]): string {
  return fenced([...todos.map((todo) => todoLine(todo, EVENT_CHARACTERS_MAX)), todoCount(todos)].join('\n'));
}

function turnParts({ number, steps }: Turn, lines: EventLines): readonly string[] {
  const parts = steps.flatMap((step) => stepParts(step, lines));
  return parts.length === 0 ? [] : [number === 0 ? '### Before the first turn' : `### Turn ${number}`, ...parts];
}

function stepParts(step: Step, lines: EventLines): readonly string[] {
  switch (step.kind) {
    case 'action':
      return actionParts(step);
    case 'observation':
      return observationParts(step);
    case 'event': {
      const text = lines.bare(step.event);
      const list = step.event.type === 'plan.updated' ? [todoList(step.event.todos)] : [];
      return text === null ? list : [`- ${timeText(step.event.at)} · ${escaped(text)}`, ...list];
    }
    case 'remark':
      return [`*${escaped(step.text)}.*`];
    default:
      return [`**${LABELS[step.kind]}**`, fenced(step.text)];
  }
}

const LABELS = {
  thought: 'Thought',
  words: 'Thought, in words',
  answer: 'Answer',
  plan: 'Plan',
  block: 'Block of the API',
  told: 'Told',
} as const;

function actionParts({ tool, summary, input }: Action): readonly string[] {
  const words = summary === '' ? '' : ` · ${escaped(summary)}`;
  return [`**Action** ${escaped(tool)}${words}`, ...(input === undefined ? [] : [fenced(safeJson(input, 2), 'json')])];
}

function observationParts({ tool, status, error, durationMs, text }: Observation): readonly string[] {
  const why = error === undefined || error === status ? '' : ` (${error})`;
  const heading = `**Observation** ${escaped(`${tool} · ${status}${why} · ${spanText(durationMs)}`)}`;
  return text === '' ? [heading] : [heading, fenced(text)];
}

function table([head = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(escaped).join(' | ')} |`;
  return [line(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

/** Text of others in a fence longer than any run of backticks in it. */
export function fenced(text: string, language = 'text'): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/gu)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const lines = text.split(/\r?\n/u).map((line) => line.split('\t').map(visible).join('\t'));
  return [`${fence}${language}`, ...lines, fence].join('\n');
}

/** Text of others within a line, in which nothing is markup; it never stands at the beginning of one. */
export function escaped(text: string): string {
  const line = visible(text.replaceAll(/\s+/gu, ' ').trim());
  // Addresses are broken up too, because many readers make links of bare ones.
  return line
    .replaceAll(/[\\`*_[\]<>|~&]/gu, String.raw`\$&`)
    .replaceAll('://', String.raw`:\//`)
    .replaceAll(/(?<=www)\./giu, String.raw`\.`);
}
