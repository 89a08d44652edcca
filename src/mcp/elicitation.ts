import type { ElicitRequestFormParams, ElicitResult } from '@modelcontextprotocol/client';
import * as z from 'zod';
import type { ToolAnswer, ToolQuestion } from '../contract/tool-calls.ts';
import { clip } from '../tools/clip.ts';
import { oneLine } from '../tools/one-line.ts';
import { fieldLine, fieldsOf, valueOf, type Field, type Schema } from './fields.ts';
import { converted } from './input-schema.ts';
import type { Elicitation } from './open-calls.ts';

const MESSAGE_CHARACTERS_MAX = 8_000;
const URL_CHARACTERS_MAX = 2_000;
const WHY_CHARACTERS_MAX = 500;

/** More options than this are no help to choose from; their ids are then written as words. */
const OPTIONS_MAX = 20;
const OPTION_CHARACTERS_MAX = 200;

/** What a server is told, or why an answer does not fit what it asked. */
export type Response =
  | { readonly kind: 'response'; readonly response: ElicitResult }
  | { readonly kind: 'unfit'; readonly why: string };

export interface Asking {
  readonly elicitation: Elicitation;
  /** Given back with the answer. */
  readonly state: string;
  /** Why the answer before this one did not fit. */
  readonly why?: string;
}

/** The question to a person that stands for what a server asks. */
export function questionOf({ elicitation, state, why }: Asking): ToolQuestion {
  const lines = [
    ...(why === undefined ? [] : [`The answer did not fit: ${oneLine(why, WHY_CHARACTERS_MAX)}`]),
    elicitation.message,
    ...detailsOf(elicitation),
  ];
  return { message: clip(lines.join('\n'), MESSAGE_CHARACTERS_MAX), options: optionsOf(elicitation), state };
}

/** What the server is told when a person gave this answer. */
export function responseTo(elicitation: Elicitation, { action, text = '' }: ToolAnswer): Response {
  if (action !== 'accept') return { kind: 'response', response: { action } };
  if (elicitation.mode === 'url') return { kind: 'response', response: { action: text === 'decline' ? text : action } };
  const fields = fieldsOf(elicitation.requestedSchema);
  const content = contentOf(fields, text);
  if (content.kind === 'unfit') return content;
  const filled = { ...defaultsOf(fields), ...content.values };
  const why = misfit(elicitation.requestedSchema, filled);
  if (why !== undefined) return { kind: 'unfit', why };
  return { kind: 'response', response: { action, content: filled as NonNullable<ElicitResult['content']> } };
}

function detailsOf(elicitation: Elicitation): readonly string[] {
  if (elicitation.mode === 'url') {
    return [`Open this address, and answer when it is done: ${oneLine(elicitation.url, URL_CHARACTERS_MAX)}`];
  }
  const fields = fieldsOf(elicitation.requestedSchema);
  const [only] = fields;
  if (only === undefined) return [];
  if (fields.length > 1) return ['Answer with a JSON object of these:', ...fields.map(fieldLine)];
  return choosable(only) && only.title === '' ? [] : [fieldLine(only)];
}

function optionsOf(elicitation: Elicitation): ToolQuestion['options'] {
  if (elicitation.mode === 'url') {
    return [
      { id: 'done', label: 'It is done' },
      { id: 'decline', label: 'Decline' },
    ];
  }
  const fields = fieldsOf(elicitation.requestedSchema);
  const [only] = fields;
  if (only === undefined) return [{ id: 'accept', label: 'Accept' }];
  return fields.length === 1 && choosable(only) ? only.options : [];
}

function choosable({ kind, options }: Field): boolean {
  const fit = options.every(({ id, label }) => Math.max(id.length, label.length) <= OPTION_CHARACTERS_MAX);
  return kind === 'choice' && options.length <= OPTIONS_MAX && fit;
}

type Content = { readonly kind: 'values'; readonly values: Schema } | { readonly kind: 'unfit'; readonly why: string };

function contentOf(fields: readonly Field[], text: string): Content {
  const [only] = fields;
  if (only === undefined) return { kind: 'values', values: {} };
  const values = objectIn(text);
  if (values !== undefined) return { kind: 'values', values };
  if (fields.length > 1) return { kind: 'unfit', why: 'expected a JSON object' };
  // Saying nothing leaves the field out, which is well where it may be.
  if (text.trim() === '') return { kind: 'values', values: {} };
  return { kind: 'values', values: { [only.name]: valueOf(only, text) } };
}

function objectIn(text: string): Schema | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    return JSON.parse(text) as Schema;
  } catch {
    return undefined;
  }
}

function defaultsOf(fields: readonly Field[]): Schema {
  return Object.fromEntries(
    fields.flatMap(({ name, schema }) => (schema['default'] === undefined ? [] : [[name, schema['default']]])),
  );
}

function misfit(schema: ElicitRequestFormParams['requestedSchema'], content: Schema): string | undefined {
  const parsed = converted(schema)?.safeParse(content);
  if (parsed === undefined || parsed.success) return undefined;
  return z.prettifyError(parsed.error);
}
