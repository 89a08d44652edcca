import * as z from 'zod';

type Schema = Readonly<Record<string, unknown>>;

/** A pattern is somebody else's regular expression, and one input can keep it busy for ever. */
const PATTERNS: readonly string[] = ['pattern', 'patternProperties'];

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
