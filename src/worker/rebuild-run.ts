import type { Client } from '@temporalio/client';
import { Worker, type ReplayWorkerOptions } from '@temporalio/worker';
import type { WorkflowInfo } from '@temporalio/workflow';
import type { RunEvent } from '../contract/events.ts';
import type { Message } from '../contract/messages.ts';
import type { RunSpec } from '../contract/spec.ts';
import { dataConverter } from '../temporal/data-converter.ts';
import { findChain } from './rebuild/chain.ts';
import { buildsOf, hasBegun, type History } from './rebuild/history.ts';
import { createRecording, type Recording } from './rebuild/recording.ts';
import type { Rebuilt } from './rebuild/rebuilt.ts';
import { workflowSource } from './workflow-source.ts';

export interface RebuildOptions {
  /** The bundled workflow code; without it, the code is bundled now, which takes a second or two. */
  readonly bundlePath?: string;
}

/** The history of a run cannot be replayed with the code of this version. */
export class RebuildFailed extends Error {
  override readonly name = 'RebuildFailed';
}

/**
 * Tells a whole run anew from its Temporal history, what was compacted or dropped meanwhile included. Every execution
 * of the run is replayed with the workflow code of this version, which starts nothing and changes nothing; so a run
 * that still goes on is told as far as it is. One execution at a time is held in memory.
 *
 * @throws {WorkflowNotFoundError} the server knows no such run
 * @throws {RebuildFailed} the code of this version does not replay the run
 */
export async function* rebuildRun(
  client: Client,
  runId: string,
  { bundlePath }: RebuildOptions = {},
): AsyncGenerator<Rebuilt> {
  const { executions, isOpen } = await findChain(client, runId);
  const recording = createRecording();
  const kept = executions.filter(({ isKept }) => isKept);
  const replayed = Worker.runReplayHistories(replayOptions(recording, bundlePath), histories());
  let current: History = {};
  try {
    for (const { id, isKept } of executions) {
      if (!isKept) {
        yield { kind: 'missing', execution: id };
        continue;
      }
      const { value, done } = await replayed.next();
      if (done !== true && value.error !== undefined) throw asFailure(runId, { history: current, error: value.error });
      yield* recording.take();
    }
  } finally {
    await replayed.return?.();
  }
  yield { kind: 'end', isOpen, executions: kept.length };

  async function* histories(): AsyncGenerator<{ workflowId: string; history: History }> {
    for (const { id } of kept) {
      current = await client.workflow.getHandle(runId, id).fetchHistory();
      // Only the newest can be so: no worker has taken it up, so it has told nothing yet.
      if (!hasBegun(current)) return;
      recording.begin();
      yield { workflowId: runId, history: current };
    }
  }
}

function replayOptions(recording: Recording, bundlePath: string | undefined): ReplayWorkerOptions {
  return {
    dataConverter,
    ...workflowSource(bundlePath),
    sinks: {
      transcript: {
        open: heard((spec: RunSpec) => recording.open(spec)),
        append: heard((from: number, messages: readonly Message[]) => recording.append(from, messages)),
        noted: heard((events: readonly RunEvent[]) => recording.noted(events)),
        close: heard(() => undefined),
      },
    },
  };
}

/** A sink that hears a replay, too. */
function heard<Arguments extends readonly unknown[]>(
  take: (...given: Arguments) => void,
): { readonly fn: (info: WorkflowInfo, ...given: Arguments) => void; readonly callDuringReplay: true } {
  return { fn: (_info, ...given) => take(...given), callDuringReplay: true };
}

function asFailure(runId: string, { history, error }: { history: History; error: Error }): RebuildFailed {
  const why = error.message.replace(/^.*?Details: /su, '').split('\n')[0] ?? '';
  const message =
    `Cannot rebuild "${runId}": the workflow code of this version does not replay its history (${why}). ` +
    `It was made by ${buildsOf(history)}; export it with that version of Nightshift. ` +
    `"temporal workflow show --workflow-id ${runId}" has the raw history`;
  return new RebuildFailed(message, { cause: error });
}
