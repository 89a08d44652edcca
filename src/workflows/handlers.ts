import { ApplicationFailure, defineQuery, defineSignal, defineUpdate, setHandler } from '@temporalio/workflow';
import type { TranscriptPage } from '../contract/activities.ts';
import type { Approval } from '../contract/approvals.ts';
import type { EventPage } from '../contract/events.ts';
import { PAGE_BYTES_MAX } from '../contract/limits.ts';
import { FAILURES, QUERIES, SIGNALS, UPDATES } from '../contract/names.ts';
import type { RunView } from '../contract/run.ts';
import { pageAfter } from '../core/events.ts';
import { messageRefusal, receive } from '../core/people/inbox.ts';
import { readAnswer, readMessage, readPerson, readPosition } from '../core/people/inputs.ts';
import { answer, answerRefusal, pause, resume } from '../core/people/answers.ts';
import { note } from '../core/run.ts';
import { jsonBytes } from '../core/sizes.ts';
import { viewOf } from '../core/view.ts';
import { orFail } from './ending.ts';
import type { RunCell } from './run-cell.ts';

const ANSWER_SHAPE = '{"id", "decision": "approve"|"deny"|"answer", "by", "digest"?, "note"?, "choice"?, "text"?}';

/**
 * Lets people and readers reach the run. Handlers change the cell at once and never wait, and none of them throws
 * anything but an `ApplicationFailure`: anything else would hold the run for ever.
 */
export function answerPeople(cell: RunCell): void {
  takeSignals(cell);
  takeUpdates(cell);
  answerQueries(cell);
}

function takeSignals(cell: RunCell): void {
  takeSignal(SIGNALS.answer, `Answer a question of this run. One JSON object: ${ANSWER_SHAPE}`, (given) => {
    const parsed = readAnswer(given);
    cell.run = parsed ? answer(cell.run, parsed, Date.now()) : refuseMalformed(cell);
  });
  takeSignal(
    SIGNALS.send,
    'Say something to the agent; it hears it between turns. One JSON object: {"text", "by"}',
    (given) => {
      const message = readMessage(given);
      if (message !== null) cell.run = receive(cell.run, message, Date.now());
    },
  );
  takeSignal(SIGNALS.pause, 'Pause after the step in progress. One JSON object: {"by"}', (given) => {
    cell.run = pause(cell.run, readPerson(given), Date.now());
  });
  takeSignal(
    SIGNALS.resume,
    'Go on after a pause, or after mending what the run was parked for. One JSON object: {"by"}',
    (given) => {
      cell.run = resume(cell.run, readPerson(given), Date.now());
    },
  );
}

function takeSignal(name: string, description: string, take: (given: unknown) => void): void {
  setHandler(defineSignal<[unknown]>(name), orFail(take), { description });
}

function refuseMalformed(cell: RunCell): RunCell['run'] {
  const message = `Cannot read the answer: expected ${ANSWER_SHAPE}`;
  return note(cell.run, Date.now(), { type: 'approval.refused', id: '', by: 'somebody', reason: 'malformed', message });
}

function takeUpdates(cell: RunCell): void {
  setHandler(
    defineUpdate<Approval | null, [unknown]>(UPDATES.answer),
    orFail((given: unknown) => {
      const parsed = readAnswer(given);
      if (parsed === null) return null;
      cell.run = answer(cell.run, parsed, Date.now());
      return cell.run.approvals.find(({ id }) => id === parsed.id) ?? null;
    }),
    {
      description: `Answer a question and hear whether it counted. One JSON object: ${ANSWER_SHAPE}`,
      // Synchronous, because the SDK never awaits a validator.
      validator: orFail((given: unknown) => refuseAnswer(cell, given)),
    },
  );
  setHandler(
    defineUpdate<number, [unknown]>(UPDATES.send),
    orFail((given: unknown) => {
      const message = readMessage(given);
      if (message !== null) cell.run = receive(cell.run, message, Date.now());
      return cell.run.inbox.length;
    }),
    {
      description: 'Say something to the agent and hear whether it was taken. One JSON object: {"text", "by"}',
      validator: orFail((given: unknown) => refuseMessage(cell, given)),
    },
  );
}

function refuseAnswer(cell: RunCell, given: unknown): void {
  const parsed = readAnswer(given);
  const malformed = { reason: 'malformed', message: `Cannot read the answer: expected ${ANSWER_SHAPE}` } as const;
  const refusal = parsed === null ? malformed : answerRefusal(cell.run, parsed, Date.now());
  if (refusal !== null) throw ApplicationFailure.nonRetryable(refusal.message, FAILURES.answerRefused, refusal);
}

function refuseMessage(cell: RunCell, given: unknown): void {
  const message = readMessage(given);
  const refusal =
    message === null ? 'Cannot read the message: expected {"text", "by"}' : messageRefusal(cell.run, message);
  if (refusal !== null) throw ApplicationFailure.nonRetryable(refusal, FAILURES.messageRefused);
}

function answerQueries(cell: RunCell): void {
  setHandler(defineQuery<RunView, [unknown]>(QUERIES.state), () => viewOf(cell.run), {
    description: 'What the run is doing, what it spent, and whom it waits for',
  });
  setHandler(
    defineQuery<EventPage, [unknown]>(QUERIES.events),
    (given) => pageAfter(cell.run.log, readPosition(given, 'after')),
    {
      description: 'What happened after a sequence number, a page at a time. One JSON object: {"after": 0}',
    },
  );
  setHandler(
    defineQuery<TranscriptPage, [unknown]>(QUERIES.transcript),
    (given) => transcriptFrom(cell, readPosition(given, 'from')),
    {
      description: 'The conversation from a message on, a page at a time. One JSON object: {"from": 0}',
    },
  );
}

function transcriptFrom({ run }: RunCell, from: number): TranscriptPage {
  const messages = [];
  let bytes = 0;
  for (const message of run.messages.slice(from)) {
    bytes += jsonBytes(message);
    if (messages.length > 0 && bytes > PAGE_BYTES_MAX) break;
    messages.push(message);
  }
  const page = { from, messages, total: run.messages.length, compactions: run.compactions };
  return from === 0 ? { ...page, spec: run.spec } : page;
}
