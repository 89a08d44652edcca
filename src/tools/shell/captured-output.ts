import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout } from 'node:timers/promises';
import { createHeadTail } from '../clip.ts';
import { makeNightshiftFolder } from '../nightshift-folder.ts';
import { safeName } from '../safe-name.ts';

/** Of one call on disk. */
const FILE_BYTES_MAX = 64 * 1_024 * 1_024;

/** Once nothing is kept of it but the tail, a flood is read slowly, so that the worker has time for others. */
const FLOOD_PAUSE_MS = 1;

export interface Capture {
  readonly root: string;
  readonly key: string;
  readonly live: (text: string) => void;
  readonly charactersMax: number;
}

export interface CapturedOutput {
  readonly add: (chunk: Buffer) => Promise<void>;
  readonly finish: () => Promise<Captured>;
}

export interface Captured {
  /** Head and tail, at most `charactersMax` characters. */
  readonly text: string;
  readonly characters: number;
  /** Where the output is kept, relative to the workspace, when `text` is not all of it. */
  readonly file?: string;
  /** False when the file, too, lacks the rest. */
  readonly whole: boolean;
}

/** Takes output as it comes, in bounded memory: head and tail for the model, all of it in a file when it is long. */
export function createCapturedOutput(capture: Capture): CapturedOutput {
  const decoder = new StringDecoder('utf8');
  const kept = createHeadTail(capture.charactersMax);
  const file = createSpillFile(capture);
  return {
    async add(chunk) {
      const text = decoder.write(chunk);
      kept.add(text);
      capture.live(text);
      await file.add(chunk, kept.characters() > capture.charactersMax);
    },
    async finish() {
      kept.add(decoder.end());
      return { text: kept.text(), characters: kept.characters(), ...(await file.finish()) };
    },
  };
}

interface SpillFile {
  readonly add: (chunk: Buffer, isLong: boolean) => Promise<void>;
  readonly finish: () => Promise<{ readonly file?: string; readonly whole: boolean }>;
}

/** Holds chunks back until the output turns out to be long; short output never touches the disk. */
function createSpillFile({ root, key }: Capture): SpillFile {
  let held: Buffer[] = [];
  let handle: FileHandle | undefined;
  let bytes = 0;
  let whole = true;
  const path = join('.nightshift', 'output', `${safeName(key)}.txt`);

  async function write(chunk: Buffer): Promise<void> {
    const part = chunk.subarray(0, FILE_BYTES_MAX - bytes);
    bytes += part.length;
    whole = whole && part.length === chunk.length;
    if (part.length > 0) await handle?.write(part);
    if (!whole) await setTimeout(FLOOD_PAUSE_MS);
  }

  return {
    async add(chunk, isLong) {
      held.push(chunk);
      if (!isLong) return;
      const chunks = held;
      held = [];
      try {
        handle ??= await createFile(root, path);
        for (const each of chunks) await write(each);
      } catch {
        // A full disk must not cost the result, whose head and tail are in memory.
        whole = false;
        bytes = FILE_BYTES_MAX;
      }
    },
    async finish() {
      await handle?.close();
      return handle === undefined ? { whole } : { file: path, whole };
    },
  };
}

async function createFile(root: string, path: string): Promise<FileHandle> {
  await makeNightshiftFolder(root, ['output']);
  return await open(
    join(root, path),
    constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW,
    0o600,
  );
}
