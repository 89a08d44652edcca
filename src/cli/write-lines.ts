import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { CommandFailure } from './command-failure.ts';
import { EXIT } from './exit-codes.ts';
import { visible } from './text/visible.ts';

/** Yields lines, or several at once, and returns what is to be known when all are told. */
export type Lines<Result> = AsyncGenerator<string, Result>;

/**
 * Writes lines to a file: aside first, so that what fails halfway leaves the file that was there.
 *
 * @throws {CommandFailure} the file cannot be written
 */
export async function writeLines<Result>(path: string, lines: Lines<Result>): Promise<Result> {
  const aside = `${path}.${process.pid}.part`;
  try {
    const result = await fill(aside, lines);
    await rename(aside, path);
    return result;
  } catch (error) {
    await rm(aside, { force: true });
    if (!isOfFile(error)) throw error;
    throw new CommandFailure(EXIT.usage, `Cannot write "${visible(path)}": ${error.code}`);
  }
}

async function fill<Result>(path: string, lines: Lines<Result>): Promise<Result> {
  const file = createWriteStream(path);
  try {
    await once(file, 'open');
    for (;;) {
      const { value, done } = await lines.next();
      if (done === true) {
        file.end();
        await once(file, 'close');
        return value;
      }
      if (!file.write(`${value}\n`)) await once(file, 'drain');
    }
  } finally {
    file.destroy();
  }
}

const FILE_CALLS: ReadonlySet<unknown> = new Set(['open', 'write', 'close', 'rename']);

function isOfFile(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && FILE_CALLS.has(error.syscall);
}
