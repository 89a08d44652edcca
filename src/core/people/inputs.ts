import type { Answer } from '../../contract/approvals.ts';
import { ANSWER_BYTES_MAX } from '../../contract/limits.ts';
import type { QueuedMessage } from '../run.ts';
import { jsonBytes } from '../sizes.ts';
import { fieldsOf } from '../fields.ts';

/**
 * Reads what people send by signal, update or query. The Temporal UI lets anybody send any JSON, and an exception in
 * a handler would hold the run for ever, so these never throw: what cannot be read is null.
 */
export function readAnswer(value: unknown): Answer | null {
  const { id, decision, by, at } = fieldsOf(value);
  if (typeof id !== 'string' || jsonBytes(value) > ANSWER_BYTES_MAX) return null;
  if (decision !== 'approve' && decision !== 'deny' && decision !== 'answer') return null;
  return {
    id,
    decision,
    by: typeof by === 'string' && by.trim() !== '' ? by : 'somebody in the Temporal UI',
    ...(typeof at === 'number' && { at }),
    ...wordsOf(value),
  };
}

function wordsOf(value: unknown): Pick<Answer, 'digest' | 'note' | 'choice' | 'text'> {
  const { digest, note, choice, text } = fieldsOf(value);
  return {
    ...(typeof digest === 'string' && { digest }),
    ...(typeof note === 'string' && note !== '' && { note }),
    ...(typeof choice === 'string' && { choice }),
    ...(typeof text === 'string' && { text }),
  };
}

/** `{text, by?, id?}`, or a bare string. */
export function readMessage(value: unknown): QueuedMessage | null {
  if (typeof value === 'string') return value.trim() === '' ? null : { by: 'somebody', text: value };
  const { text, by, id } = fieldsOf(value);
  if (typeof text !== 'string' || text.trim() === '') return null;
  const named = typeof id === 'string' && id.length <= 100 ? { id } : {};
  return { ...named, text, by: typeof by === 'string' && by !== '' ? by : 'somebody' };
}

/** `{by?}`. */
export function readPerson(value: unknown): string {
  const { by } = fieldsOf(value);
  return typeof by === 'string' && by !== '' ? by : 'somebody';
}

/** `{after?}` or `{from?}`: a position in a list, 0 when it is not given. */
export function readPosition(value: unknown, field: 'after' | 'from'): number {
  const position = fieldsOf(value)[field];
  return typeof position === 'number' && Number.isSafeInteger(position) && position > 0 ? position : 0;
}
