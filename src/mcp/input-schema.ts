import type * as z from 'zod';
import { foreignInput, foreignType } from '../tools/foreign-schema.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Formats are regular expressions as well; the server checks them itself. */
const LEFT_OUT = ['format'];

/** What input is checked against before anybody is asked; anything goes where the schema cannot be converted. */
export function inputOf(schema: Schema): z.ZodType {
  return foreignInput(schema, LEFT_OUT);
}

/** Undefined where zod cannot convert the schema. */
export function converted(schema: Schema): z.ZodType | undefined {
  return foreignType(schema, LEFT_OUT);
}
