import { Context } from '@temporalio/activity';
import type { Activities, RunToolInput, RunToolResult } from '../contract/activities.ts';
import { callModel } from './call-model.ts';
import type { Dependencies } from './dependencies.ts';
import { leaseBudget } from './lease-budget.ts';
import { openLedgerDesk } from './ledger-desk.ts';
import { runHook } from './run-hook.ts';
import { runTool } from './run-tool.ts';

/** `default` is the SDK's name for the activity that answers every other name: here, those of the tools. */
export interface WorkerActivities extends Activities {
  readonly default: (input: RunToolInput) => Promise<RunToolResult>;
}

/** The activities of a worker. Tools need no entry each: an activity with an unknown name is a tool call. */
export function createActivities(dependencies: Dependencies): WorkerActivities {
  const desk = openLedgerDesk();
  return {
    callModel: async (input) => await callModel(dependencies, input),
    leaseBudget: async (input) => await leaseBudget({ ...dependencies, desk }, input),
    runHook: async (input) => await runHook(dependencies, input),
    default: async (input) => {
      Context.current().log.debug('Runs a tool call', { callId: input.callId });
      return await runTool(dependencies, input);
    },
  };
}
