import { TOOL_OUTPUT_CHARACTERS_MAX } from '../../contract/limits.ts';
import type { ToolErrorKind } from '../../contract/tool-calls.ts';
import { clip } from '../clip.ts';
import { oneLine } from '../one-line.ts';
import { defineTool, ToolError, type Probed, type Tool, type ToolOutput } from '../tool.ts';
import type { Workspace } from '../files/workspace.ts';
import { memoryInput, type CommandOf, type MemoryCommand } from './commands.ts';
import { holdsEdit, inserted, linesOf, numbered, replaced, snippet, type Edited } from './edits.ts';
import { entriesOf, openStore, requireRoom, storePath, type Stored } from './store.ts';
import { inTurn } from './turn.ts';

export interface MemoryOptions {
  /** Absolute path of the folder in which an agent's memory lies. */
  readonly folder: (agent: string) => string;
}

/**
 * What an agent remembers from run to run, as files. Commands and answers are those of the model API's own memory tool,
 * whose use models have learned; here it is an ordinary tool, so that it works with any server.
 *
 * Every command but `view` shows in the folder afterwards, so an interrupted one is looked up instead of asked about.
 */
export function createMemoryTool({ folder }: MemoryOptions): Tool {
  return defineTool({
    name: 'memory',
    description:
      'Your own notes, kept from run to run as files below /memories. View /memories before you begin. Commands: view (a folder or a file), create, str_replace, insert, delete, rename.',
    input: memoryInput,
    effect: 'checkable',
    timeoutMs: 20_000,
    local: false,
    own: true,
    summarize,
    touches: () => [],
    async run(command, { agent, signal }) {
      signal.throwIfAborted();
      const path = folder(agent);
      return await inTurn(path, async () => await perform(await openStore(path), command));
    },
    async probe(command, { agent }) {
      const path = folder(agent);
      return await inTurn(path, async () => await probe(await openStore(path), command));
    },
  });
}

function summarize(command: MemoryCommand): string {
  if (command.command === 'rename')
    return `Rename memory ${oneLine(command.old_path, 80)} to ${oneLine(command.new_path, 80)}`;
  return `${VERBS[command.command]} memory ${oneLine(command.path, 150)}`;
}

const VERBS = {
  view: 'View',
  create: 'Create',
  str_replace: 'Edit',
  insert: 'Add to',
  delete: 'Delete',
} as const;

async function perform(store: Workspace, command: MemoryCommand): Promise<ToolOutput> {
  switch (command.command) {
    case 'view':
      return await view(store, command);
    case 'create':
      return await create(store, command);
    case 'str_replace':
      return await edit(store, command, (text) => replaced(text, command));
    case 'insert':
      return await edit(store, command, (text) => inserted(text, command));
    case 'delete':
      return await remove(store, command);
    case 'rename':
      return await rename(store, command);
  }
}

async function view(store: Workspace, { path, view_range }: CommandOf<'view'>): Promise<ToolOutput> {
  const at = storePath(path);
  const kind = await kindOf(store, at);
  if (kind === undefined) return missing(`The path ${path} does not exist. Please provide a valid path.`);
  if (kind === 'folder') return { text: clip(await listing(store, path), TOOL_OUTPUT_CHARACTERS_MAX) };
  const text = await store.readText(at);
  const lines = linesOf(text).length;
  const [first, end] = view_range ?? [1, -1];
  const last = end === -1 ? lines : end;
  if (first > Math.max(1, lines) || last < first - 1)
    return refused(`Error: Invalid \`view_range\` parameter: [${first}, ${end}]. The file has ${lines} lines.`);
  const shown = numbered(text, { first, last });
  return { text: clip(`Here's the content of ${path} with line numbers:\n${shown}`, TOOL_OUTPUT_CHARACTERS_MAX) };
}

async function listing(store: Workspace, path: string): Promise<string> {
  const at = storePath(path);
  const top = path.replace(/\/+$/, '');
  const inside = await entriesOf(store, at);
  const total = inside.reduce((sum, { kind, sizeBytes }) => sum + (kind === 'file' ? sizeBytes : 0), 0);
  const prefix = at === '.' ? '' : `${at}/`;
  const shown = inside
    .map((entry): Stored => ({ ...entry, path: entry.path.slice(prefix.length) }))
    .filter((entry) => {
      const names = entry.path.split('/');
      return names.length <= 2 && names.every((name) => !name.startsWith('.') && name !== 'node_modules');
    });
  const lines = [
    `${size(total)}\t${top}`,
    ...shown.map((entry) => `${size(entry.sizeBytes)}\t${top}/${oneLine(entry.path, 400)}`),
  ];
  return `Here're the files and directories up to 2 levels deep in ${path}, excluding hidden items and node_modules:\n${lines.join('\n')}`;
}

async function create(store: Workspace, { path, file_text }: CommandOf<'create'>): Promise<ToolOutput> {
  const at = storePath(path);
  const kind = await kindOf(store, at);
  // The same text again is the same file, so saying it twice is no error.
  if (kind !== undefined && (kind !== 'file' || (await store.readText(at)) !== file_text))
    return refused(`Error: File ${path} already exists`);
  await write(store, at, file_text);
  return { text: `File created successfully at: ${path}` };
}

type Edit = CommandOf<'str_replace'> | CommandOf<'insert'>;

async function edit(store: Workspace, command: Edit, change: (text: string) => Edited): Promise<ToolOutput> {
  const { path } = command;
  const at = storePath(path);
  if ((await kindOf(store, at)) !== 'file')
    return missing(`Error: The path ${path} does not exist. Please provide a valid path.`);
  const edited = change(await store.readText(at));
  if (edited.kind === 'refused') return refused(clip(edited.why, TOOL_OUTPUT_CHARACTERS_MAX));
  await write(store, at, edited.text);
  if (command.command === 'insert') return { text: `The file ${path} has been edited.` };
  const part = snippet(edited.text, edited.line, command.new_str);
  const text = `The memory file has been edited. Here's the snippet showing the change (with line numbers):\n${part}`;
  return { text: clip(text, TOOL_OUTPUT_CHARACTERS_MAX) };
}

async function remove(store: Workspace, { path }: CommandOf<'delete'>): Promise<ToolOutput> {
  const at = storePath(path);
  if ((await kindOf(store, at)) === undefined) return missing(`Error: The path ${path} does not exist`);
  await store.remove(at, () => true);
  return { text: `Successfully deleted ${path}` };
}

async function rename(store: Workspace, { old_path, new_path }: CommandOf<'rename'>): Promise<ToolOutput> {
  const [from, to] = [storePath(old_path), storePath(new_path)];
  if ((await kindOf(store, from)) === undefined) return missing(`Error: The path ${old_path} does not exist`);
  if ((await kindOf(store, to)) !== undefined) return refused(`Error: The destination ${new_path} already exists`);
  await store.rename(from, { to, permits: () => true });
  return { text: `Successfully renamed ${old_path} to ${new_path}` };
}

async function write(store: Workspace, path: string, text: string): Promise<void> {
  await requireRoom(store, path, text);
  await store.writeText(path, { text, permits: () => true });
}

const HAPPENED = { text: 'Done. The worker was lost on the way, but the memory shows that it happened.' };

async function probe(store: Workspace, command: MemoryCommand): Promise<Probed> {
  return (await shows(store, command)) ? { kind: 'happened', output: HAPPENED } : { kind: 'not_happened' };
}

async function shows(store: Workspace, command: MemoryCommand): Promise<boolean> {
  switch (command.command) {
    case 'view':
      return false;
    case 'delete':
      return (await kindOf(store, storePath(command.path))) === undefined;
    case 'rename': {
      const [from, to] = [storePath(command.old_path), storePath(command.new_path)];
      return (await kindOf(store, from)) === undefined && (await kindOf(store, to)) !== undefined;
    }
    case 'create':
      return (await textOf(store, command.path)) === command.file_text;
    default: {
      const text = await textOf(store, command.path);
      return text !== undefined && holdsEdit(text, command);
    }
  }
}

async function textOf(store: Workspace, path: string): Promise<string | undefined> {
  const at = storePath(path);
  return (await kindOf(store, at)) === 'file' ? await store.readText(at) : undefined;
}

/** Undefined when nothing is there. Links are followed only inside. */
async function kindOf(store: Workspace, path: string): Promise<'file' | 'folder' | 'other' | undefined> {
  try {
    const { kind } = await store.stat(path);
    return kind === 'link' ? 'other' : kind;
  } catch (error) {
    if (error instanceof ToolError && error.kind === 'file_not_found') return undefined;
    throw error;
  }
}

function missing(text: string): ToolOutput {
  return failed('file_not_found', text);
}

function refused(text: string): ToolOutput {
  return failed('invalid_params', text);
}

function failed(error: ToolErrorKind, text: string): ToolOutput {
  return { text, isError: true, error };
}

function size(bytes: number): string {
  if (bytes < 1_024) return `${bytes}B`;
  const kib = bytes / 1_024;
  return kib < 1_024 ? `${kib.toFixed(1)}K` : `${(kib / 1_024).toFixed(1)}M`;
}
