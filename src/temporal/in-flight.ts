import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

/**
 * Writes down which steps a worker has in hand, in a folder of its own. It is read only after the worker died, to
 * tell the server at once what is lost instead of waiting for timeouts. Losing these files costs time, never truth.
 */
export class InFlight {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
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
    const file = join(this.#folder, `${encodeURIComponent(`${step.runId}~${step.activityId}`)}.step`);
    writeFileSync(file, JSON.stringify(step));
    return () => rmSync(file, { force: true });
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
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
  const incarnation = readJson(join(folder, 'worker.json')) as Incarnation | null;
  if (incarnation === null || (await isAlive(incarnation.process))) return null;
  const files = readdirSync(folder).filter((name) => name.endsWith('.step'));
  const steps = files
    .map((name) => readJson(join(folder, name)) as StepInFlight | null)
    .filter((step) => step !== null);
  return { id: incarnation.id, steps, forget: () => rmSync(folder, { recursive: true, force: true }) };
}

function foldersIn(workersFolder: string): readonly string[] {
  try {
    return readdirSync(workersFolder).map((name) => join(workersFolder, name));
  } catch {
    return [];
  }
}

/** A file that a dying process left half written is no record. */
function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}
