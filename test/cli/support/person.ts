import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pc from 'picocolors';
import type { Context } from '../../../src/cli/context.ts';
import { readSettings } from '../../../src/config/settings.ts';

/** Somebody at a terminal, in a folder and a home of their own, for commands that are called without a process. */
export interface Person {
  readonly context: Context;
  readonly folder: string;
  readonly dataFolder: string;
  readonly printed: () => string;
  readonly said: () => string;
  readonly close: () => Promise<void>;
}

/** `answer` is what the person types when asked, and whatever happens meanwhile. */
export async function openPerson(answer: (person: Person) => Promise<string>): Promise<Person> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'nightshift-person-')));
  const folder = join(home, 'project');
  await mkdir(folder);
  const env = {
    HOME: home,
    PATH: process.env['PATH'] ?? '',
    NIGHTSHIFT_HOME: join(home, 'data'),
    NIGHTSHIFT_OPERATOR_SETTINGS: join(home, 'operator.yaml'),
  };
  const [printed, said]: string[][] = [[], []];
  const colors = pc.createColors(false);
  const terminal = {
    colors,
    outColors: colors,
    print: (text: string) => void printed?.push(text),
    say: (text: string) => void said?.push(text),
    flash: () => undefined,
    canAsk: true,
    ask: async () => await answer(person),
  };
  const build = { main: '', stamp: '', workflowBundle: null };
  const settings = readSettings(env);
  const person: Person = {
    context: { env, settings, terminal, folder, build },
    folder,
    dataFolder: settings.folders.dataFolder,
    printed: () => (printed ?? []).join('\n'),
    said: () => (said ?? []).join('\n'),
    close: async () => await rm(home, { recursive: true, force: true }),
  };
  return person;
}
