import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** The largest index of git that is known is below this. */
const BYTES_MAX = 1_024 ** 3;

/**
 * What a file holds that a command may have made; undefined when there is none that can be read to its end. Opening a
 * pipe waits for somebody to write, for ever, unless it is said not to.
 */
export async function readPlainFile(path: string): Promise<Buffer | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const stats = await file.stat();
    return stats.isFile() && stats.size <= BYTES_MAX ? await file.readFile() : undefined;
  } catch {
    return undefined;
  } finally {
    await file.close();
  }
}
