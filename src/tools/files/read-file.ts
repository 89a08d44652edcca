import { StringDecoder } from 'node:string_decoder';
import * as z from 'zod';
import { TOOL_OUTPUT_CHARACTERS_MAX } from '../../contract/limits.ts';
import { createHeadTail } from '../clip.ts';
import { oneLine, quoted } from '../one-line.ts';
import { pathTouch } from './path-touch.ts';
import { defineTool, ToolError } from '../tool.ts';
import type { OpenFile } from './workspace.ts';

/** Where a search for a line gives up: 64 MiB are read in well under a second. */
const SCAN_BYTES_MAX = 64 * 1_024 * 1_024;

/** git and grep, too, call a file binary when a NUL stands near its start. */
const BINARY_SNIFF_BYTES = 8_000;

const NOTE_CHARACTERS = 200;
const NEWLINE = 10;

/** Reads a window of lines, so that a large file cannot fill the conversation in one call. */
export const readFileTool = defineTool({
  name: 'read_file',
  description: 'Reads lines of a text file in the workspace. A note at the end says when there is more.',
  input: z.strictObject({
    path: z.string().min(1).describe('Path relative to the workspace.'),
    offset: z.int().min(1).default(1).describe('First line to read, counted from 1.'),
    limit: z.int().min(1).max(100_000).default(2_000).describe('How many lines to read.'),
  }),
  effect: 'read',
  timeoutMs: 10_000,
  local: true,
  summarize: ({ path, offset }) => `Read ${oneLine(path, 160)}${offset > 1 ? ` from line ${offset}` : ''}`,
  touches: async ({ path }, look) => await pathTouch(look, { path, access: 'read' }),
  async run({ path, offset, limit }, { workspace, signal }) {
    const file = await workspace.openFile(path);
    try {
      return { text: shown(path, await readWindow(file, { offset, limit, signal })) };
    } finally {
      await file.handle.close();
    }
  },
});

interface Wanted {
  readonly offset: number;
  readonly limit: number;
  readonly signal: AbortSignal;
}

interface Window {
  readonly first: number;
  readonly last: number;
  readonly lines: number;
  /** False when the file was too long to count all its lines. */
  readonly counted: boolean;
  readonly text: string;
}

async function readWindow({ handle }: OpenFile, { offset, limit, signal }: Wanted): Promise<Window> {
  const decoder = new StringDecoder('utf8');
  const kept = createHeadTail(TOOL_OUTPUT_CHARACTERS_MAX - NOTE_CHARACTERS);
  let line = 1;
  let bytes = 0;
  let endsInside = false;
  for await (const chunk of handle.createReadStream({ autoClose: false, signal })) {
    const buffer = chunk as Buffer;
    if (bytes === 0) refuseBinary(buffer);
    bytes += buffer.length;
    for (let from = 0; from < buffer.length;) {
      const newline = buffer.indexOf(NEWLINE, from);
      const end = newline < 0 ? buffer.length : newline + 1;
      if (line >= offset && line < offset + limit) kept.add(decoder.write(buffer.subarray(from, end)));
      endsInside = newline < 0;
      if (!endsInside) line += 1;
      from = end;
    }
    if (bytes >= SCAN_BYTES_MAX) break;
  }
  kept.add(decoder.end());
  const lines = endsInside ? line : line - 1;
  return {
    first: offset,
    last: Math.min(lines, offset + limit - 1),
    lines,
    counted: bytes < SCAN_BYTES_MAX,
    text: kept.text(),
  };
}

function refuseBinary(start: Buffer): void {
  if (!start.subarray(0, BINARY_SNIFF_BYTES).includes(0)) return;
  throw new ToolError('execution_failed', 'Cannot read the file: it is binary, not text');
}

function shown(path: string, { first, last, lines, counted, text }: Window): string {
  if (lines === 0) return '[The file is empty.]';
  const total = counted ? `${lines}` : `more than ${lines}`;
  if (first > lines) {
    throw new ToolError('invalid_params', `Cannot read ${quoted(path)} from line ${first}: it has ${total} lines`);
  }
  if (first === 1 && last === lines && counted) return text;
  return `${text}${text.endsWith('\n') ? '' : '\n'}[Lines ${first} to ${last} of ${total}.]`;
}
