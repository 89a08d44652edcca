import {
  allHandlersFinished,
  condition,
  makeContinueAsNewFunc,
  workflowInfo,
  type WorkflowInfo,
} from '@temporalio/workflow';
import type { Message } from '../contract/messages.ts';
import type { RunResult } from '../contract/run.ts';
import type { RunSpec } from '../contract/spec.ts';
import { CARRY_PART_BYTES } from '../contract/limits.ts';
import { fromEarlier } from '../core/earlier.ts';
import { newRun, note, type Run } from '../core/run.ts';
import { jsonBytes } from '../core/sizes.ts';
import type { RunCell } from './run-cell.ts';

/** Everything of a run but its spec and its transcript, which travel beside it. */
type Carried = Omit<Run, 'spec' | 'messages'>;

export interface RunStart {
  readonly spec: RunSpec;
  readonly carried?: Carried;
}

type AgentRun = (start: RunStart, ...transcript: readonly (readonly Message[])[]) => Promise<RunResult>;

/**
 * Events after which a run continues as new although the server does not ask yet. The server asks at 4,096 events
 * or 4 MiB; a flood of signals passes that in the middle of a step, and 10,000 signals is where it refuses more.
 */
const EVENTS_MAX = 4_000;

/** Whether history is long enough that the run should go on in a new one. */
export function wantsToContinue({ continueAsNewSuggested, historyLength }: WorkflowInfo): boolean {
  return continueAsNewSuggested || historyLength > EVENTS_MAX;
}

/** Continues as new with everything the run knows. Handlers finish first, so that no answer is cut off. */
export async function carryOn(cell: RunCell): Promise<never> {
  await condition(allHandlersFinished);
  const continuations = cell.run.continuations + 1;
  const { spec, messages, ...carried } = note({ ...cell.run, continuations }, Date.now(), {
    type: 'run.continued',
    continuation: continuations,
  });
  // What `upsertMemo` set is not carried by the server, so it is passed on here.
  const continueRun = makeContinueAsNewFunc<AgentRun>({ memo: { ...workflowInfo().memo } });
  return await continueRun({ spec, carried }, ...inParts(messages));
}

/** The run as it was carried. What an earlier version did not know yet has the value of a new run. */
export function pickUp({ spec, carried }: RunStart, transcript: readonly (readonly Message[])[], now: number): Run {
  const run = { ...newRun(spec, now), ...carried, spec, messages: transcript.flat() };
  return { ...run, ...fromEarlier(carried) };
}

function inParts(messages: readonly Message[]): readonly (readonly Message[])[] {
  const parts: Message[][] = [];
  let room = 0;
  for (const message of messages) {
    const bytes = jsonBytes(message);
    if (bytes > room || parts.length === 0) {
      parts.push([]);
      room = CARRY_PART_BYTES;
    }
    parts.at(-1)?.push(message);
    room -= bytes;
  }
  return parts;
}
