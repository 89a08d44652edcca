import type { ElicitRequestFormParams } from '@modelcontextprotocol/client';

/** One thing a server wants to know. */
export interface Field {
  readonly name: string;
  readonly title: string;
  readonly required: boolean;
  readonly kind: 'text' | 'number' | 'choice' | 'choices';
  /** Of a choice: what may be chosen. */
  readonly options: readonly { readonly id: string; readonly label: string }[];
  readonly schema: Schema;
}

export type Schema = Readonly<Record<string, unknown>>;

/** The fields of a form, in order. */
export function fieldsOf({ properties, required = [] }: ElicitRequestFormParams['requestedSchema']): readonly Field[] {
  return Object.entries(properties).map(([name, property]) => {
    const schema = property as Schema;
    const options = optionsOf(schema);
    return {
      name,
      title: [schema['title'], schema['description']].filter((text) => typeof text === 'string').join(': '),
      required: required.includes(name),
      kind: kindOf(schema, options.length > 0),
      options,
      schema,
    };
  });
}

/** The value that a person's words stand for; the words themselves where they stand for none. */
export function valueOf({ kind, schema, options }: Field, words: string): unknown {
  if (kind === 'number') return words.trim() === '' ? words : Number(words);
  if (kind === 'choice' && schema['type'] === 'boolean') return booleanOf(words);
  if (kind === 'choice') return options.find(({ id, label }) => id === words || label === words)?.id ?? words;
  if (kind === 'choices') return listIn(words);
  return words;
}

/** What the field may hold, in a line for people. */
export function fieldLine({ name, title, required, kind, options, schema }: Field): string {
  const choice = options.map(({ id, label }) => (id === label ? id : `${id} (${label})`)).join(', ');
  const type = { text: 'text', number: 'number', choice: `one of ${choice}`, choices: `any of ${choice}` }[kind];
  const preset = schema['default'] === undefined ? '' : `, ${JSON.stringify(schema['default'])} if left out`;
  return `- ${name}${title === '' ? '' : ` (${title})`}: ${type}${required ? '' : ', may be left out'}${preset}`;
}

function kindOf({ type }: Schema, hasOptions: boolean): Field['kind'] {
  if (type === 'number' || type === 'integer') return 'number';
  if (type === 'array') return 'choices';
  return hasOptions ? 'choice' : 'text';
}

function optionsOf(schema: Schema): Field['options'] {
  if (schema['type'] === 'boolean') {
    return [
      { id: 'true', label: 'Yes' },
      { id: 'false', label: 'No' },
    ];
  }
  const list = (schema['type'] === 'array' ? schema['items'] : schema) as Schema | undefined;
  const titled = list?.['oneOf'] ?? list?.['anyOf'];
  if (Array.isArray(titled)) {
    return titled.map((option: Schema) => ({
      id: String(option['const']),
      label: String(option['title'] ?? option['const']),
    }));
  }
  const values: unknown = list?.['enum'];
  const names: unknown = list?.['enumNames'];
  if (!Array.isArray(values)) return [];
  return values.map((value, index) => ({
    id: String(value),
    label: String((Array.isArray(names) ? names[index] : undefined) ?? value),
  }));
}

/** A JSON array, or words with commas between them. */
function listIn(words: string): unknown {
  try {
    const list: unknown = JSON.parse(words);
    if (Array.isArray(list)) return list;
  } catch {
    // It is no JSON.
  }
  return words.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));
}

function booleanOf(words: string): unknown {
  const word = words.trim().toLowerCase();
  if (['true', 'yes'].includes(word)) return true;
  return ['false', 'no'].includes(word) ? false : words;
}
