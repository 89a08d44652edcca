import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';

const { HistoryEvent } = proto.temporal.api.history.v1;

type Event = proto.temporal.api.history.v1.IHistoryEvent;

/**
 * Bytes of history of each turn of a run, over all continuations, as the server stores them: at 0 what came before the
 * first turn, at n what turn n left, from its model call up to the next. What a continuation carries counts to the turn
 * in which it began.
 */
export async function historyByTurn(client: Client, runId: string): Promise<readonly number[]> {
  const { raw } = await client.workflow.getHandle(runId).describe();
  const bytes: number[] = [0];
  let execution = raw.workflowExecutionInfo?.firstRunId ?? '';
  while (execution !== '') {
    const { events } = await client.workflow.getHandle(runId, execution).fetchHistory();
    for (const event of events ?? []) {
      const turn = Math.max(turnBegunBy(event) ?? 0, bytes.length - 1);
      bytes[turn] = (bytes[turn] ?? 0) + HistoryEvent.encode(event).finish().length;
    }
    execution = events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? '';
  }
  return bytes;
}

/** Bytes a turn, over the turns from the first to the last of a window. */
export function meanOf(bytes: readonly number[], [first, last]: readonly [number, number]): number {
  const window = bytes.slice(first, last + 1);
  return window.reduce((sum, one) => sum + one, 0) / window.length;
}

function turnBegunBy({ activityTaskScheduledEventAttributes: scheduled }: Event): number | null {
  const [payload] = scheduled?.input?.payloads ?? [];
  if (scheduled?.activityType?.name !== 'callModel' || !payload?.data) return null;
  const { turn, purpose } = JSON.parse(Buffer.from(payload.data).toString('utf8')) as { turn: number; purpose: string };
  return purpose === 'turn' ? turn : null;
}
