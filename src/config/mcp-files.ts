import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';

/** The files of a folder that name programs to start, in the order in which they count. */
export const MCP_FILES = ['.mcp.json', '.vscode/mcp.json'] as const;

const BYTES_MAX = 1_024 * 1_024;

export type FileText =
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly why: string }
  | { readonly kind: 'text'; readonly text: string; readonly digest: string };

/** The text of a file of a folder, read once, with the digest of exactly that text. */
export async function readFileText(folder: string, name: string): Promise<FileText> {
  try {
    // Without O_NONBLOCK a named pipe in its place would keep us waiting for ever.
    const file = await open(join(folder, name), constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = await file.stat();
      if (!stats.isFile()) return { kind: 'unreadable', why: 'it is not a regular file' };
      if (stats.size > BYTES_MAX) return { kind: 'unreadable', why: `it is larger than ${BYTES_MAX} bytes` };
      const bytes = await file.readFile();
      return { kind: 'text', text: bytes.toString('utf8'), digest: digestOfBytes(bytes) };
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    return code === 'ENOENT' || code === 'ENOTDIR'
      ? { kind: 'missing' }
      : { kind: 'unreadable', why: `the system says ${code}` };
  }
}

function digestOfBytes(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
