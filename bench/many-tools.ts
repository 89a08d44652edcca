import type { ToolDefinition } from '../src/contract/spec.ts';

/** What five servers of a company may offer, each the same deeds on things of its own. */
const SERVERS: Readonly<Record<string, readonly string[]>> = {
  tickets: ['issue', 'comment', 'label', 'milestone', 'attachment'],
  calendar: ['event', 'invitation', 'room', 'reminder', 'availability'],
  warehouse: ['table', 'query', 'report', 'dashboard', 'schedule'],
  mail: ['message', 'thread', 'draft', 'folder', 'contact'],
  repository: ['branch', 'commit', 'pull_request', 'review', 'release'],
};

const DEEDS = {
  list: 'Lists what matches, newest first, in pages. Give a filter to narrow it, and the cursor of the last page to go on.',
  get: 'Gives one with all its fields, by its id. Use the list first when the id is not known; an unknown id is an error.',
  create: 'Makes a new one and gives it back with its id. Fields that are left out get the defaults of the workspace.',
  update:
    'Changes the fields that are given and leaves the others as they are. Fails when it was changed since it was read.',
} as const;

type Deed = keyof typeof DEEDS;

/** A hundred definitions of the size that real MCP servers have, about 200 tokens each; their answers come from `call`. */
export function manyTools(call: string): readonly ToolDefinition[] {
  return Object.entries(SERVERS).flatMap(([server, things]) =>
    things.flatMap((thing) => (Object.keys(DEEDS) as Deed[]).map((deed) => definition({ server, thing, deed, call }))),
  );
}

interface Told {
  readonly server: string;
  readonly thing: string;
  readonly deed: Deed;
  readonly call: string;
}

function definition({ server, thing, deed, call }: Told): ToolDefinition {
  const tool = `${deed}_${thing}`;
  const what = thing.replaceAll('_', ' ');
  return {
    name: `${server}__${tool}`,
    description: `${what[0]?.toUpperCase()}${what.slice(1)} of the ${server} service: ${DEEDS[deed]}`,
    inputSchema: { type: 'object', properties: propertiesOf(what, deed), required: requiredOf(deed) },
    effect: 'unsafe',
    timeoutMs: 60_000,
    local: false,
    origin: { kind: 'command', call, tool, source: server },
  };
}

function propertiesOf(what: string, deed: Deed): Readonly<Record<string, unknown>> {
  const workspace = { type: 'string', description: 'Id of the workspace; the default one when left out.' };
  if (deed === 'list')
    return {
      workspace,
      filter: { type: 'string', description: `Words, or field:value pairs, that each ${what} must match.` },
      limit: { type: 'integer', minimum: 1, maximum: 100, description: 'How many to give at most.' },
      cursor: { type: 'string', description: 'Where the last page ended.' },
    };
  const id = { type: 'string', description: `Id of the ${what}, as the list gives it.` };
  if (deed === 'get') return { workspace, id };
  return {
    workspace,
    ...(deed === 'update' && { id }),
    title: { type: 'string', maxLength: 200, description: `Short title of the ${what}, in plain text.` },
    body: { type: 'string', description: 'The whole text, in Markdown.' },
    owner: { type: 'string', description: 'User name of who answers for it.' },
    tags: { type: 'array', items: { type: 'string' }, description: 'Names of tags that exist already.' },
  };
}

function requiredOf(deed: Deed): readonly string[] {
  return { list: [], get: ['id'], create: ['title'], update: ['id'] }[deed];
}
