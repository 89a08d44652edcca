import { readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { makeNightshiftFolder } from '../nightshift-folder.ts';
import { safeName } from '../safe-name.ts';
import { putAway, type Guard } from './guarded.ts';

const journal = z.object({
  absent: z.array(z.string()),
  links: z.array(z.object({ path: z.string(), target: z.string() })),
  isBareRepository: z.boolean(),
  repositories: z.record(z.string(), z.string()).optional(),
});

/**
 * Writes down what must not appear, so that it is put away also when the worker dies with the command. Resolves to
 * what removes the note.
 */
export async function noteGuard(root: string, guard: Guard, key: string): Promise<() => Promise<void>> {
  const path = join(await makeNightshiftFolder(root, ['guard']), `${safeName(key)}.json`);
  const { mounts: _held, ...noted } = guard;
  await writeFile(path, JSON.stringify(noted));
  return async () => await rm(path, { force: true });
}

/**
 * Puts away what commands made whose worker died. Those of commands that still run are looked at too; it is only done
 * a little earlier then.
 */
export async function putAwayLeft(root: string): Promise<readonly string[]> {
  const folder = await makeNightshiftFolder(root, ['guard']);
  const made: string[] = [];
  for (const name of await readdir(folder)) {
    const guard = read(await readFile(join(folder, name), 'utf8').catch(() => ''));
    if (guard !== undefined) made.push(...(await putAway(root, { ...guard, mounts: [] }, name.replace(/\.json$/, ''))));
  }
  return made;
}

/** A note that was cut off says nothing; its command was not started yet. */
function read(text: string): z.infer<typeof journal> | undefined {
  try {
    return journal.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
