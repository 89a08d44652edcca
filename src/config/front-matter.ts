import { parseDocument } from 'yaml';

export type FrontMatter =
  | { readonly kind: 'parsed'; readonly data: Readonly<Record<string, unknown>>; readonly body: string }
  | { readonly kind: 'broken'; readonly problem: string };

/** Two lines of three dashes with YAML between them, at the very start. Other languages (`---js`) are not read. */
const FENCED = /^---[ \t]*\n([\s\S]*?)(?:^|\n)---[ \t]*(?:\n|$)/;

/** A simple `key: value` line whose value itself holds a colon or a mark that YAML reads as syntax. */
const UNQUOTED = /^([A-Za-z][\w-]*): +(?!["'|>[{&*!])([%@`].*|.*:(?:\s.*)?)$/;

/** Splits a Markdown file into its YAML front matter and the text below. */
export function parseFrontMatter(text: string): FrontMatter {
  const clean = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const match = FENCED.exec(clean);
  if (match === null)
    return broken('it has no front matter; expected a first line "---", then YAML, then a line "---"');
  const yaml = match[1] ?? '';
  const first = parseYaml(yaml);
  // People write `description: a: b`, which YAML refuses and other programs take; so we take it too, but only then.
  const parsed = 'problem' in first ? firstGood(parseYaml(quoteValues(yaml)), first) : first;
  if ('problem' in parsed) return broken(parsed.problem);
  return { kind: 'parsed', data: parsed.data, body: clean.slice(match[0].length).trim() };
}

type Yaml = { readonly data: Readonly<Record<string, unknown>> } | { readonly problem: string };

function parseYaml(yaml: string): Yaml {
  try {
    const document = parseDocument(yaml, { prettyErrors: true, uniqueKeys: true, strict: true });
    const error = document.errors[0];
    if (error !== undefined) return { problem: `front matter is not YAML: ${firstLine(error.message)}` };
    const data: unknown = document.toJS({ maxAliasCount: 20 }) ?? {};
    if (typeof data !== 'object' || data === null || Array.isArray(data)) {
      return { problem: 'front matter: expected keys with values' };
    }
    return { data: data as Readonly<Record<string, unknown>> };
  } catch (error) {
    return {
      problem: `front matter is not YAML: ${firstLine(error instanceof Error ? error.message : String(error))}`,
    };
  }
}

/** When quoting does not help either, the first complaint is about what the person wrote. */
function firstGood(retried: Yaml, first: Yaml): Yaml {
  return 'problem' in retried ? first : retried;
}

function quoteValues(yaml: string): string {
  return yaml
    .split('\n')
    .map((line) => line.replace(UNQUOTED, (_, key: string, value: string) => `${key}: ${JSON.stringify(value.trim())}`))
    .join('\n');
}

function firstLine(message: string): string {
  return (message.split('\n')[0] ?? '').replace(/:$/, '');
}

function broken(problem: string): FrontMatter {
  return { kind: 'broken', problem };
}
