import { rm, stat } from 'node:fs/promises';
import sqlite from 'node-sqlite3-wasm';
import { DatabaseDamaged } from './errors.ts';

/**
 * Refuses a damaged database: the server itself would start on one, list its runs, and fail inside them.
 * The file must belong to us alone (we hold the lock of its folder). It is opened for reading only, so that what may
 * still be saved is not touched. Measured on two cores: 50 MB take 0.05 to 0.1 s.
 */
export async function checkDatabase(path: string): Promise<void> {
  const size = await stat(path).then(
    (stats) => stats.size,
    () => 0,
  );
  if (size === 0) return;
  // The library locks by a folder beside the file and leaves it there when its process dies in between.
  await removeLibraryLock(path);
  try {
    const found = quickCheck(path);
    if (found !== 'ok') throw new DatabaseDamaged(path, found);
  } finally {
    await removeLibraryLock(path);
  }
}

function quickCheck(path: string): string {
  let database: sqlite.Database | null = null;
  try {
    database = new sqlite.Database(path, { readOnly: true, fileMustExist: true });
    // The file is in WAL mode, whose shared memory this build of SQLite lacks; alone, it needs none.
    database.exec('PRAGMA locking_mode=exclusive');
    const row = database.get('PRAGMA quick_check(1)');
    return String(row === null ? 'no answer' : Object.values(row)[0]);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    closeQuietly(database);
  }
}

/** Closing a damaged database may fail as well, which adds nothing to what was found. */
function closeQuietly(database: sqlite.Database | null): void {
  try {
    database?.close();
  } catch {
    return;
  }
}

async function removeLibraryLock(path: string): Promise<void> {
  await rm(`${path}.lock`, { recursive: true, force: true });
}
