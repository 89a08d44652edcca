import type { Context } from '../../context.ts';
import { EXIT } from '../../exit-codes.ts';
import { findApproval } from '../../named-approval.ts';
import { withServer } from '../../server-access.ts';
import { answerCommands, approvalText } from '../../text/approval-text.ts';
import { safeJson } from '../../text/visible.ts';
import { approvalJson } from './ls.ts';

export async function showApproval(context: Context, id: string, json: boolean): Promise<number> {
  return await withServer(context, async ({ client }) => {
    const { runId, approval, whole } = await findApproval(client, id);
    const { print, say, outColors } = context.terminal;
    if (json) print(safeJson({ ...(approvalJson({ runId, approval }) as object), arguments_whole: whole }, 2));
    else print(approvalText(approval, { colors: outColors, now: Date.now() }).join('\n'));
    if (!whole)
      say('No worker answers, so the arguments are cut here; start one with "nightshift up" to see them whole');
    if (approval.status === 'open' && !json) for (const command of answerCommands(approval)) say(`  ${command}`);
    return EXIT.done;
  });
}
