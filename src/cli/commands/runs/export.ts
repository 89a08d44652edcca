import { resolve } from 'node:path';
import type { Client } from '@temporalio/client';
import { Runtime } from '@temporalio/worker';
import type { RunSpec } from '../../../contract/spec.ts';
import { rebuildRun, RebuildFailed } from '../../../worker/rebuild-run.ts';
import type { Rebuilt } from '../../../worker/rebuild/rebuilt.ts';
import { CommandFailure } from '../../command-failure.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit-codes.ts';
import { idOfRun, readKnownRun, type KnownReading } from '../../named-run.ts';
import { withServer } from '../../server-access.ts';
import type { Told } from '../../text/react-text.ts';
import { jsonLine } from '../../text/run-jsonl.ts';
import { runMarkdown } from '../../text/run-markdown.ts';
import { closedAs, sourceOf, storyOf } from '../../text/run-story.ts';
import { safeJson, visible } from '../../text/visible.ts';
import { writeLines, type Lines } from '../../write-lines.ts';

export interface ExportFlags {
  readonly format: 'md' | 'jsonl';
  readonly output?: string;
}

/** Tells a whole run from its history. Needs no worker; a run that goes on is told as far as it is. */
export async function exportRun(context: Context, name: string, { format, output }: ExportFlags): Promise<number> {
  silenceReplay();
  const { terminal, folder, build } = context;
  return await withServer(context, async ({ client }) => {
    const runId = await idOfRun(client, name);
    const reading = await readKnownRun(client, runId);
    const exported: Exported = { client, runId, reading, bundlePath: build.workflowBundle };
    const lines = explained(format === 'md' ? markdownOf(exported) : linesOf(exported));
    const isOpen =
      output === undefined ? await print(lines, terminal.print) : await writeLines(resolve(folder, output), lines);
    if (isOpen) terminal.say(`${runId} still goes on: this is what it was until now. Export it anew when it has ended`);
    if (output !== undefined) terminal.say(`${runId} is told in ${visible(output)}`);
    return EXIT.done;
  });
}

/** A replay says much that only its developers want to know; what goes wrong is told by what it throws. */
function silenceReplay(): void {
  const ignore = (): void => undefined;
  Runtime.install({
    logger: { log: ignore, trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore },
    telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' }, forward: {} } },
    shutdownSignals: [],
  });
}

interface Exported {
  readonly client: Client;
  readonly runId: string;
  readonly reading: KnownReading;
  readonly bundlePath: string | null;
}

function rebuilding({ client, runId, bundlePath }: Exported): AsyncGenerator<Rebuilt> {
  return rebuildRun(client, runId, bundlePath === null ? {} : { bundlePath });
}

/** Tells as it goes, so that a long run need not fit into memory. Returns whether the run still goes on. */
async function* linesOf(exported: Exported): Lines<boolean> {
  const { runId, reading } = exported;
  for await (const item of rebuilding(exported)) {
    if (item.kind !== 'end') yield jsonLine(runId, item);
    else {
      const { isOpen, executions } = item;
      const { totals = null, result = null } = sourceOf(reading) ?? {};
      yield safeJson({ v: 1, type: 'end', isOpen, executions, closedAs: closedAs(reading), totals, result });
      return isOpen;
    }
  }
  return false;
}

async function* markdownOf(exported: Exported): Lines<boolean> {
  const { runId, reading } = exported;
  const told: Told[] = [];
  let spec: RunSpec | null = null;
  let isOpen = false;
  for await (const item of rebuilding(exported)) {
    if (item.kind === 'spec') spec = item.spec;
    else if (item.kind === 'end') isOpen = item.isOpen;
    else told.push(item);
  }
  yield runMarkdown(storyOf({ runId, reading, spec, isOpen, now: Date.now() }, told)).trimEnd();
  return isOpen;
}

/** @throws {CommandFailure} the code of this version does not replay the run */
async function* explained(lines: Lines<boolean>): Lines<boolean> {
  try {
    return yield* lines;
  } catch (error) {
    throw error instanceof RebuildFailed ? new CommandFailure(EXIT.failed, visible(error.message)) : error;
  }
}

async function print(lines: Lines<boolean>, say: (line: string) => void): Promise<boolean> {
  for (;;) {
    const { value, done } = await lines.next();
    if (done === true) return value;
    say(value);
  }
}
