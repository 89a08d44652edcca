import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { identify, isAlive, type ProcessIdentity } from './process-identity.ts';

/** One incarnation of a worker: a process, under the name by which the server and its claims know it. */
export interface Incarnation {
  /** Identity towards the server, unique for ever. */
  readonly id: string;
  readonly process: ProcessIdentity;
}

/** A step that a worker has begun and not ended. */
export interface StepInFlight {
  readonly workflowId: string;
  readonly runId: string;
  readonly activityId: string;
}

/** Lines after which the journal begins anew, at a moment when nothing is in hand. */
const LINES_MAX = 10_000;

/**
 * Writes down which steps a worker has in hand, in a journal of its own: a line when a step begins and one when it
 * ends, which costs a few microseconds each. It is read only after the worker died, to tell the server at once what
 * is lost instead of waiting for timeouts. Losing it costs time, never truth.
 */
export class InFlight {
  readonly #folder: string;
  readonly #journal: number;
  #lines = 0;
  #open = 0;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#journal = openSync(join(folder, JOURNAL), 'a');
  }

  static async open(workersFolder: string, id: string): Promise<InFlight> {
    const folder = join(workersFolder, encodeURIComponent(id));
    const identity = await identify(process.pid);
    if (identity === null) throw new Error('Cannot identify the process of this worker');
    mkdirSync(folder, { recursive: true });
    const incarnation: Incarnation = { id, process: identity };
    writeFileSync(join(folder, 'worker.json'), JSON.stringify(incarnation));
    return new InFlight(folder);
  }

  /** Notes the beginning of a step; the returned function notes its end. */
  begin(step: StepInFlight): () => void {
    this.#open += 1;
    this.#write({ begins: step });
    return () => {
      this.#open -= 1;
      this.#write({ ends: keyOf(step) });
    };
  }

  close(): void {
    closeSync(this.#journal);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #write(line: JournalLine): void {
    if (this.#open === 0 && this.#lines > LINES_MAX) {
      ftruncateSync(this.#journal);
      this.#lines = 0;
      return;
    }
    writeSync(this.#journal, `${JSON.stringify(line)}\n`);
    this.#lines += 1;
  }
}

const JOURNAL = 'steps.jsonl';

interface JournalLine {
  readonly begins?: StepInFlight;
  readonly ends?: string;
}

function keyOf({ runId, activityId }: StepInFlight): string {
  return `${runId} ${activityId}`;
}

export interface DeadWorker {
  readonly id: string;
  readonly steps: readonly StepInFlight[];
  readonly forget: () => void;
}

/** The incarnations that left their folder behind and whose process is gone, with what they had in hand. */
export async function findDeadWorkers(workersFolder: string): Promise<readonly DeadWorker[]> {
  const found = await Promise.all(foldersIn(workersFolder).map(async (folder) => await readDead(folder)));
  return found.filter((dead) => dead !== null);
}

async function readDead(folder: string): Promise<DeadWorker | null> {
  const incarnation = parse(readText(join(folder, 'worker.json'))) as Incarnation | null;
  if (incarnation === null || (await isAlive(incarnation.process))) return null;
  const steps = stepsLeft(join(folder, JOURNAL));
  return { id: incarnation.id, steps, forget: () => rmSync(folder, { recursive: true, force: true }) };
}

/** What was begun and not ended. The last line may be half written: then that step had hardly begun. */
function stepsLeft(journal: string): readonly StepInFlight[] {
  const left = new Map<string, StepInFlight>();
  for (const line of readText(journal).split('\n')) {
    const { begins, ends } = (parse(line) ?? {}) as JournalLine;
    if (begins !== undefined) left.set(keyOf(begins), begins);
    if (ends !== undefined) left.delete(ends);
  }
  return [...left.values()];
}

function foldersIn(workersFolder: string): readonly string[] {
  try {
    return readdirSync(workersFolder).map((name) => join(workersFolder, name));
  } catch {
    return [];
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** What a dying process left half written is no record. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
