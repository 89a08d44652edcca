const last = new Map<string, Promise<unknown>>();

/**
 * Does one thing after the other for each name. Reading and writing back is two steps, and of two edits at the same time
 * one would be lost. This holds within a process; workers that share a folder are not held apart.
 */
export async function inTurn<T>(name: string, perform: () => Promise<T>): Promise<T> {
  const before = last.get(name) ?? Promise.resolve();
  const mine = before.then(perform, perform);
  const settled = mine.catch(() => {});
  last.set(name, settled);
  try {
    return await mine;
  } finally {
    if (last.get(name) === settled) last.delete(name);
  }
}
