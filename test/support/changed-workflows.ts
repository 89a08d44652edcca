import { sleep } from '@temporalio/workflow';
import { agentRun as today } from '../../src/workflows/agent-run.ts';

/** The workflow as a careless deploy might change it: a timer where there was none, which no recorded history has. */
export async function agentRun(...args: Parameters<typeof today>): ReturnType<typeof today> {
  await sleep(10);
  return await today(...args);
}
