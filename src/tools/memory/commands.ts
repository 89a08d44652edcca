import * as z from 'zod';

const path = z.string().min(1).max(400).describe('Path below /memories.');
const place = z.int().min(0).describe('For insert: the line after which the text goes; 0 is the start.');
const range = z.tuple([z.int().min(1), z.int().min(-1)]).describe('For view: first and last line; -1 is the last.');

/** One flat object, as the model's API wants inputs to be; which fields a command needs is checked behind it. */
const fields = z.strictObject({
  command: z.enum(['view', 'create', 'str_replace', 'insert', 'delete', 'rename']),
  path: path.optional(),
  view_range: range.optional(),
  file_text: z.string().optional().describe('For create: the whole text.'),
  old_str: z.string().min(1).optional().describe('For str_replace: text that stands in the file exactly once.'),
  new_str: z.string().optional().describe('For str_replace: what takes its place; nothing when left out.'),
  insert_line: place.optional(),
  insert_text: z.string().optional().describe('For insert.'),
  old_path: path.optional().describe('For rename.'),
  new_path: path.optional().describe('For rename.'),
});

const command = z.discriminatedUnion('command', [
  z.object({ command: z.literal('view'), path, view_range: range.optional() }),
  z.object({ command: z.literal('create'), path, file_text: z.string() }),
  z.object({
    command: z.literal('str_replace'),
    path,
    old_str: z.string().min(1),
    new_str: z.string().default(''),
  }),
  z.object({ command: z.literal('insert'), path, insert_line: place, insert_text: z.string() }),
  z.object({ command: z.literal('delete'), path }),
  z.object({ command: z.literal('rename'), old_path: path, new_path: path }),
]);

export const memoryInput = fields.pipe(command);

export type MemoryCommand = z.infer<typeof command>;
export type CommandOf<Name extends MemoryCommand['command']> = Extract<MemoryCommand, { readonly command: Name }>;
