import type * as z from 'zod';
import { foreignInput, foreignType } from '../tools/foreign-schema.ts';

type Schema = Readonly<Record<string, unknown>>;

/** The model's API refuses a whole request for these at the top of one tool's schema. */
const REFUSED_AT_TOP = ['oneOf', 'anyOf', 'allOf', '$schema'];

/** Names of properties that the model's API takes. */
const PROPERTY = /^[a-zA-Z0-9_.-]{1,64}$/u;

/** Formats are regular expressions as well; the server checks them itself. */
const LEFT_OUT = ['format'];

/** What is sent to the model, or why this schema cannot be sent. */
export type SendableSchema =
  | { readonly kind: 'schema'; readonly schema: Record<string, unknown> }
  | { readonly kind: 'refused'; readonly why: string };

export function sendableSchema(schema: Schema): SendableSchema {
  if (schema['type'] !== 'object') return { kind: 'refused', why: 'its input is not an object' };
  const names = Object.keys(isSchema(schema['properties']) ? schema['properties'] : {});
  const odd = names.find((name) => !PROPERTY.test(name));
  if (odd !== undefined)
    return { kind: 'refused', why: `the model cannot be told of an argument ${JSON.stringify(odd)}` };
  return { kind: 'schema', schema: without(schema, REFUSED_AT_TOP) };
}

/** What input is checked against before anybody is asked; anything goes where the schema cannot be converted. */
export function inputOf(schema: Schema): z.ZodType {
  return foreignInput(schema, LEFT_OUT);
}

/** Undefined where zod cannot convert the schema. */
export function converted(schema: Schema): z.ZodType | undefined {
  return foreignType(schema, LEFT_OUT);
}

function without(schema: Schema, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !keys.includes(key)));
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
