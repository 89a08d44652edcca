import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * What really happened, as an independent witness saw it: shell commands append a line to a file when they start and
 * when they end. The folder is the workspace, because a confined command can write nowhere else.
 */
export interface Recorder {
  /** A command that records its start, does `work`, and records its end. */
  readonly command: (name: string, work: string) => string;
  readonly starts: (name: string) => Promise<number>;
  readonly ends: (name: string) => Promise<number>;
}

export function createRecorder(folder: string): Recorder {
  const file = join(folder, 'witness.txt');
  const count = async (line: string): Promise<number> => {
    const text = await readFile(file, 'utf8').catch(() => '');
    return text.split('\n').filter((candidate) => candidate === line).length;
  };
  return {
    command: (name, work) =>
      `echo "start ${name}" >> ${file}; ${work}; echo "end ${name}" >> ${file}; echo finished ${name}`,
    starts: async (name) => await count(`start ${name}`),
    ends: async (name) => await count(`end ${name}`),
  };
}

/** Waits until a condition holds; the tests' own timeouts bound it. */
export async function eventually(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 30));
}
