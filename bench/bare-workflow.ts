import { proxyActivities } from '@temporalio/workflow';

/** The two activities, each with two kilobytes in its result. */
export interface BareActivities {
  model(turn: number): Promise<{ readonly text: string; readonly more: boolean }>;
  tool(turn: number): Promise<string>;
}

/** What anybody would write first: a loop of a model call and a tool call, and nothing else. The measure of overhead. */
export async function bareRun(): Promise<number> {
  const { model, tool } = proxyActivities<BareActivities>({ startToCloseTimeout: '1 minute' });
  for (let turn = 1; ; turn += 1) {
    const { more } = await model(turn);
    if (!more) return turn;
    await tool(turn);
  }
}
