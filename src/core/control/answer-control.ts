import { ASK_HUMAN, EMIT_VALUE, NOTES, TERMINATE, TODO } from '../../contract/control-tools.ts';
import type { RunEventBody } from '../../contract/events.ts';
import { NOTES_BYTES_MAX } from '../../contract/limits.ts';
import type { ToolCall, ToolCallResult } from '../../contract/tool-calls.ts';
import { ended, moved } from '../calls/call-life.ts';
import { fieldsOf } from '../fields.ts';
import { isUnattended, type Question } from '../people/questions.ts';
import type { Run } from '../run.ts';
import { jsonBytes, oneLine } from '../sizes.ts';
import { notRun, told } from '../told.ts';
import { parseQuestion } from './ask-human.ts';
import { missingOutputs, readEmitted } from './outputs.ts';
import { readTermination } from './terminate.ts';
import { readTodos, renderTodos } from './todos.ts';

/** A call as it was opened: what it changes in the run by itself, and what a person is asked about it. */
export interface Opened {
  readonly call: ToolCall;
  readonly question?: Question;
  /** What a tool of the workflow itself keeps, and the event that tells it. */
  readonly kept?: Partial<Pick<Run, 'todos' | 'todosTurn' | 'notes' | 'outputs' | 'termination'>>;
  readonly event?: RunEventBody;
}

type Answer = (run: Run, call: ToolCall, input: unknown) => Opened;

/** The tools that the workflow answers itself. */
const ANSWERS: ReadonlyMap<string, Answer> = new Map([
  [ASK_HUMAN, openQuestion],
  [TODO, keepTodos],
  [NOTES, keepNotes],
  [EMIT_VALUE, keepOutput],
  [TERMINATE, keepTermination],
]);

/** Answers a call of one of the workflow's own tools; null for every other, and for one the run was not given. */
export function answerControl(run: Run, call: ToolCall, input: unknown): Opened | null {
  const answer = ANSWERS.get(call.tool);
  if (answer === undefined || !run.spec.tools.some(({ name }) => name === call.tool)) return null;
  return answer(run, call, input);
}

function openQuestion(run: Run, call: ToolCall, input: unknown): Opened {
  const parsed = parseQuestion(input);
  if (!parsed.ok) return refused(call, parsed.problem);
  if (isUnattended(run)) return { call: ended(call, notRun('denied', 'denied', told.nobodyThere)) };
  const { kind, question, options } = parsed;
  const title = oneLine(question, 300);
  return {
    call: moved(call, 'awaiting_approval'),
    question: { kind, title, options, reason: 'the agent asks' },
  };
}

function keepTodos(run: Run, call: ToolCall, input: unknown): Opened {
  const todos = readTodos(input);
  if (typeof todos === 'string') return refused(call, todos);
  const text = ['The plan is now:', ...renderTodos(todos)].join('\n');
  return {
    call: done(call, text),
    kept: { todos, todosTurn: run.turn },
    event: { type: 'plan.updated', todos },
  };
}

function keepNotes(_run: Run, call: ToolCall, input: unknown): Opened {
  const { text } = fieldsOf(input);
  if (typeof text !== 'string') return refused(call, 'expected {"text": string}');
  const bytes = jsonBytes(text);
  if (bytes > NOTES_BYTES_MAX) return refused(call, `expected at most ${NOTES_BYTES_MAX} bytes, got ${bytes}`);
  return { call: done(call, 'Kept.'), kept: { notes: text }, event: { type: 'notes.kept', bytes } };
}

function keepOutput(run: Run, call: ToolCall, input: unknown): Opened {
  const emitted = readEmitted(run, input);
  if (typeof emitted === 'string') return refused(call, emitted);
  const { name, value, bytes } = emitted;
  const outputs = { ...run.outputs, [name]: value };
  const missing = missingOutputs({ ...run, outputs });
  const rest = missing.length === 0 ? 'All outputs are there.' : `Still missing: ${missing.join(', ')}.`;
  return {
    call: done(call, `"${name}" is set. ${rest}`),
    kept: { outputs },
    event: { type: 'output.set', name, bytes },
  };
}

function keepTermination(_run: Run, call: ToolCall, input: unknown): Opened {
  const termination = readTermination(input);
  if (typeof termination === 'string') return refused(call, termination);
  return { call: done(call, 'The run ends after this turn.'), kept: { termination } };
}

function refused(call: ToolCall, problem: string): Opened {
  return { call: ended(call, notRun('error', 'invalid_params', problem)) };
}

function done(call: ToolCall, content: string): ToolCall {
  const result: ToolCallResult = { status: 'success', content, durationMs: 0 };
  return ended(call, result);
}
