import { workflowInfo } from '@temporalio/workflow';
import type { RunResult } from '../contract/run.ts';
import type { Message } from '../contract/messages.ts';
import { apply } from '../core/apply.ts';
import { settleRun } from '../core/settle.ts';
import { begin } from '../core/begin.ts';
import { decide } from '../core/decide.ts';
import { newRun } from '../core/run.ts';
import { carryOn, pickUp, wantsToContinue, type RunStart } from './continuation.ts';
import { endWith, orFailRun } from './ending.ts';
import { answerPeople } from './handlers.ts';
import { perform } from './perform.ts';
import { createPublisher } from './publish.ts';
import type { RunCell } from './run-cell.ts';

/**
 * One agent run: decide, perform, apply, until the decision is to end. Everything it knows is in `cell.run`, rebuilt
 * by replay after any crash; everything it chooses is chosen by `src/core`.
 */
export async function agentRun(start: RunStart, ...transcript: readonly (readonly Message[])[]): Promise<RunResult> {
  return await orFailRun(async () => {
    const now = Date.now();
    const cell: RunCell = { run: start.carried ? pickUp(start, transcript, now) : newRun(start.spec, now) };
    answerPeople(cell);
    const publish = createPublisher();

    for (;;) {
      cell.run = settleRun(cell.run, Date.now());
      const decision = decide(cell.run, Date.now());
      cell.run = begin(cell.run, decision, Date.now());
      publish(cell.run);
      if (decision.kind === 'end') return endWith(decision.result);
      for (const observation of await perform(decision, cell)) {
        cell.run = apply(cell.run, observation, Date.now());
      }
      if (cell.run.result === null && wantsToContinue(workflowInfo())) await carryOn(cell);
    }
  });
}
