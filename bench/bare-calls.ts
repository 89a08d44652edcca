import { proxyActivities } from '@temporalio/workflow';

/** The two activities: a model that is asked before and after the calls, and a tool with two kilobytes in its result. */
export interface BareCallActivities {
  model(count: number): Promise<string>;
  tool(call: number): Promise<string>;
}

/** One turn of many calls as anybody would write it: so many at a time, and nothing else. */
export async function bareCalls(calls: number, together: number): Promise<void> {
  const { model, tool } = proxyActivities<BareCallActivities>({ startToCloseTimeout: '1 minute' });
  await model(1);
  for (let from = 0; from < calls; from += together) {
    const batch = Array.from({ length: Math.min(together, calls - from) }, (_, index) => from + index);
    await Promise.all(batch.map(async (call) => await tool(call)));
  }
  await model(2);
}
