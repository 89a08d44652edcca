import { CommandFailure } from '../../command-failure.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit-codes.ts';
import { findApproval } from '../../named-approval.ts';
import { withServer } from '../../server-access.ts';
import { sendAnswer } from './answer.ts';
import { askHere, matchDigest } from './name-call.ts';

export interface ApproveFlags {
  readonly digest?: string;
  readonly note?: string;
}

export async function approve(context: Context, id: string, flags: ApproveFlags): Promise<number> {
  return await withServer(context, async ({ client }) => {
    const named = await findApproval(client, id);
    const { approval } = named;
    if (approval.kind !== 'approve')
      throw new CommandFailure(
        EXIT.usage,
        `Cannot approve "${approval.id}": it wants an answer; use "nightshift approvals answer ${approval.id}"`,
      );
    const digest = flags.digest === undefined ? await askHere(context, named) : matchDigest(approval, flags.digest);
    if (digest === null) {
      context.terminal.say('Nothing was sent; the question stays open.');
      return EXIT.done;
    }
    const note = flags.note === undefined ? {} : { note: flags.note };
    return await sendAnswer(context, { client, named, given: { decision: 'approve', digest, ...note } });
  });
}
