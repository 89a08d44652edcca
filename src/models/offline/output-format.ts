import { fieldsOf, RequestRefused, type Fields } from './refused.ts';

const EFFORTS: readonly unknown[] = ['low', 'medium', 'high', 'xhigh', 'max', null, undefined];

/** Words of JSON schema that the API does not take, by the type they stand beside. */
const REFUSED: Readonly<Record<string, readonly string[]>> = {
  integer: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  string: ['minLength', 'maxLength'],
  array: ['maxItems', 'uniqueItems'],
};

const PLACE = 'output_config.format.schema';

/** The JSON schema of a reply, or null when none is asked for. */
export function readFormat(config: unknown): Fields | null {
  if (config === undefined || config === null) return null;
  const { effort, format } = fieldsOf(config, 'output_config');
  if (!EFFORTS.includes(effort)) throw new RequestRefused(`output_config.effort: Input should be one of the efforts`);
  if (format === undefined || format === null) return null;
  const { type, schema } = fieldsOf(format, 'output_config.format');
  if (type !== 'json_schema') throw new RequestRefused(`output_config.format.type: Input should be 'json_schema'`);
  const fields = fieldsOf(schema, PLACE);
  checkSchema(fields);
  return fields;
}

/** Every node of a schema is looked at, as the API turns all of it into a grammar before it answers. */
function checkSchema(schema: Fields): void {
  const type = typeof schema['type'] === 'string' ? schema['type'] : '';
  if (type === 'object' && schema['additionalProperties'] !== false)
    throw new RequestRefused(`${PLACE}: For 'object' type, 'additionalProperties' must be explicitly set to false`);
  const refused = REFUSED[type]?.find((word) => word in schema);
  if (refused !== undefined)
    throw new RequestRefused(`${PLACE}: For '${type}' type, property '${refused}' is not supported`);
  for (const inner of innerSchemas(schema)) checkSchema(fieldsOf(inner, PLACE));
}

function innerSchemas({ properties, items, $defs, ...rest }: Fields): readonly unknown[] {
  const named = [properties, $defs].flatMap((table) => (table === undefined ? [] : Object.values(table as object)));
  const listed = ['anyOf', 'allOf'].flatMap((word) => (Array.isArray(rest[word]) ? (rest[word] as unknown[]) : []));
  return [...named, ...(items === undefined ? [] : [items]), ...listed];
}
