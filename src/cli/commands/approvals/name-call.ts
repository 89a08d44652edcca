import type { Approval } from '../../../contract/approvals.ts';
import { CommandFailure } from '../../command-failure.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit-codes.ts';
import { isYes } from '../../following/ask-person.ts';
import type { NamedApproval } from '../../named-approval.ts';
import { approvalText } from '../../text/approval-text.ts';
import { visible } from '../../text/visible.ts';

/** Digits of a digest that name it: nobody finds another call with the same 48 bits by chance. */
const DIGITS_MIN = 12;

/** The digest of what was shown and approved here, or null. */
export async function askHere({ terminal }: Context, { approval, whole }: NamedApproval): Promise<string | null> {
  if (!terminal.canAsk) {
    throw new CommandFailure(
      EXIT.usage,
      `Cannot approve "${approval.id}" without a terminal unless the call is named: give --digest, from "nightshift approvals show ${approval.id} --json"`,
    );
  }
  // A decided question is sent all the same: its refusal tells who was first.
  if (approval.status !== 'open') return approval.digest;
  if (!whole)
    throw new CommandFailure(
      EXIT.unreachable,
      `Cannot show "${approval.id}" whole: no worker answers; start one with "nightshift up", or name the call by --digest`,
    );
  for (const line of approvalText(approval, { colors: terminal.colors, now: Date.now() })) terminal.say(line);
  const typed = await terminal.ask('Approve this exact call? [y/N] ');
  return typed !== null && isYes(typed) ? approval.digest : null;
}

/** The whole digest, when enough of it was given and it is that of this call. */
export function matchDigest({ id, digest }: Pick<Approval, 'id' | 'digest'>, given: string): string {
  const digits = given
    .toLowerCase()
    .replace(/^sha256:/u, '')
    .replace(/…$/u, '');
  if (!/^[0-9a-f]+$/u.test(digits) || digits.length < DIGITS_MIN) {
    throw new CommandFailure(
      EXIT.usage,
      `Cannot use the digest "${visible(given.slice(0, 100))}": expected sha256: and at least ${DIGITS_MIN} hex digits`,
    );
  }
  if (digest.startsWith(`sha256:${digits}`)) return digest;
  throw new CommandFailure(
    EXIT.conflict,
    `Cannot approve "${id}": the call has digest ${digest}, not the one given; look at it again`,
  );
}
