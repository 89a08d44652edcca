import * as z from 'zod';

type Schema = Readonly<Record<string, unknown>>;

/** One definition that others wrote, as JSON. */
export const DEFINITION_BYTES_MAX = 32 * 1_024;

/** The model's API refuses a whole request for these at the top of one tool's schema. */
const REFUSED_AT_TOP = ['oneOf', 'anyOf', 'allOf', '$schema'];

/** Names of properties that the model's API takes. */
const PROPERTY = /^[a-zA-Z0-9_.-]{1,64}$/u;

/** A pattern is somebody else's regular expression, and one input can keep it busy for ever. */
const PATTERNS: readonly string[] = ['pattern', 'patternProperties'];

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
  const kept = Object.entries(schema).filter(([key]) => !REFUSED_AT_TOP.includes(key));
  return { kind: 'schema', schema: Object.fromEntries(kept) };
}

/**
 * The type of a JSON schema that others wrote, without its patterns and without what else is left out; undefined where
 * zod cannot convert it. What is left out is for those to check who wrote it.
 */
export function foreignType(schema: Schema, leftOut: readonly string[] = []): z.ZodType | undefined {
  try {
    return z.fromJSONSchema(without(schema, [...PATTERNS, ...leftOut]) as Parameters<typeof z.fromJSONSchema>[0]);
  } catch {
    return undefined;
  }
}

/** The same for input, of which anything goes where the schema cannot be converted. */
export function foreignInput(schema: Schema, leftOut: readonly string[] = []): z.ZodType {
  return foreignType(schema, leftOut) ?? z.record(z.string(), z.unknown());
}

function without(value: unknown, keywords: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((member) => without(member, keywords));
  if (!isSchema(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      // A property may be called "pattern"; then what stands there is a schema and no text.
      .filter(([key, member]) => !keywords.includes(key) || (key !== 'patternProperties' && isSchema(member)))
      .map(([key, member]) => [key, without(member, keywords)]),
  );
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
