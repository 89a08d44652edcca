import { listApprovals, type ListedApproval } from '../../../client.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit-codes.ts';
import { withServer } from '../../server-access.ts';
import { tableText } from '../../text/table.ts';
import { relativeText } from '../../text/times.ts';
import { safeJson, shortLine } from '../../text/visible.ts';

export async function listOpenApprovals(context: Context, json: boolean): Promise<number> {
  return await withServer(context, async ({ client }) => {
    const approvals = await listApprovals(client);
    const { terminal } = context;
    if (json) terminal.print(safeJson(approvals.map(approvalJson), 2));
    else if (approvals.length === 0) terminal.say('Nothing waits for a person.');
    else {
      terminal.print(tableText(['ID', 'KIND', 'AGENT', 'ENDS', 'IF NOBODY', 'WHAT'], approvals.map(rowOf)));
      terminal.say('Show one in full: nightshift approvals show <id>');
    }
    return EXIT.done;
  });
}

function rowOf({ agent, approval }: ListedApproval): readonly string[] {
  const { id, kind, deadline, onTimeout, title } = approval;
  return [
    id,
    kind,
    shortLine(agent, 24),
    relativeText(deadline, Date.now()),
    onTimeout === 'stop' ? 'run stops' : kind === 'outcome' ? 'left unknown' : 'denied',
    shortLine(title, 80),
  ];
}

/** A question as every JSON output shows it. */
export function approvalJson({
  runId,
  agent,
  approval,
}: Omit<ListedApproval, 'agent'> & { readonly agent?: string }): unknown {
  const { openedAt, deadline, onTimeout, callId, ...rest } = approval;
  return {
    run_id: runId,
    ...(agent === undefined ? {} : { agent }),
    ...rest,
    call_id: callId,
    opened_at: new Date(openedAt).toISOString(),
    deadline: new Date(deadline).toISOString(),
    on_timeout: onTimeout,
  };
}
