import type { Client } from '@temporalio/client';
import { answerApproval } from '../../../client.ts';
import type { Answer, RefusalReason } from '../../../contract/approvals.ts';
import { CommandFailure } from '../../command-failure.ts';
import type { Context } from '../../context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { findApproval, type NamedApproval } from '../../named-approval.ts';
import { askHere, matchDigest } from './name-call.ts';
import { REPEAT } from '../../../contract/approvals.ts';
import { withServer } from '../../server-access.ts';
import { visible } from '../../text/visible.ts';

export interface AnswerFlags {
  readonly choice?: string;
  readonly note?: string;
  readonly digest?: string;
}

export async function deny(context: Context, id: string, note: string | undefined): Promise<number> {
  return await withServer(context, async ({ client }) => {
    const named = await findApproval(client, id);
    return await sendAnswer(context, {
      client,
      named,
      given: { decision: 'deny', ...(note === undefined ? {} : { note }) },
    });
  });
}

export interface AnswerWish {
  readonly id: string;
  readonly text: string | undefined;
  readonly flags: AnswerFlags;
}

export async function answer(context: Context, { id, text, flags }: AnswerWish): Promise<number> {
  return await withServer(context, async ({ client }) => {
    const named = await findApproval(client, id);
    const words = wordsFor(named, text, flags);
    const leave = words.choice === REPEAT ? await leaveToRepeat(context, named, flags.digest) : {};
    if (leave === null) {
      context.terminal.say('Nothing was sent; the question stays open.');
      return EXIT.done;
    }
    const given = {
      decision: 'answer',
      ...words,
      ...leave,
      ...(flags.note === undefined ? {} : { note: flags.note }),
    } as const;
    return await sendAnswer(context, { client, named, given });
  });
}

function wordsFor(
  { approval }: NamedApproval,
  text: string | undefined,
  { choice }: AnswerFlags,
): Pick<Answer, 'choice' | 'text'> {
  const cannot = `Cannot answer "${approval.id}"`;
  switch (approval.kind) {
    case 'approve':
      throw new CommandFailure(EXIT.usage, `${cannot}: it wants approve or deny`);
    case 'answer':
      if (text === undefined || text.trim() === '')
        throw new CommandFailure(EXIT.usage, `${cannot}: give the answer as text`);
      return { text };
    case 'choose':
      return approval.about === undefined
        ? { choice: chosenOf(approval, choice ?? text) }
        : chosenWith(approval, text, choice);
    case 'outcome':
      return chosenWith(approval, text, choice);
  }
}

/** A choice, and words beside it: a text that is no option needs the choice said apart. */
function chosenWith(
  approval: NamedApproval['approval'],
  text: string | undefined,
  choice: string | undefined,
): Pick<Answer, 'choice' | 'text'> {
  const isChoice = choice === undefined && approval.options.some(({ id }) => id === text);
  if (isChoice || text === undefined) return { choice: chosenOf(approval, choice ?? text) };
  return { choice: chosenOf(approval, choice), text };
}

function chosenOf({ id, options }: NamedApproval['approval'], chosen: string | undefined): string {
  const ids = options.map((option) => option.id);
  if (chosen !== undefined && ids.includes(chosen)) return chosen;
  throw new CommandFailure(EXIT.usage, `Cannot answer "${id}": expected --choice with one of ${ids.join(', ')}`);
}

/** Doing a call once more is approving it once more, so the exact call must be named. Null when the person declined. */
async function leaveToRepeat(
  context: Context,
  named: NamedApproval,
  digest: string | undefined,
): Promise<{ readonly digest: string } | null> {
  if (digest !== undefined) return { digest: matchDigest(named.approval, digest) };
  const seen = await askHere(context, named);
  return seen === null ? null : { digest: seen };
}

export interface Sending {
  readonly client: Client;
  readonly named: NamedApproval;
  readonly given: Omit<Answer, 'id' | 'by' | 'at'>;
}

const REFUSAL_CODES: Readonly<Record<RefusalReason, ExitCode>> = {
  malformed: EXIT.usage,
  wrong_kind: EXIT.usage,
  not_found: EXIT.notFound,
  already_answered: EXIT.conflict,
  too_late: EXIT.conflict,
  superseded: EXIT.conflict,
  wrong_digest: EXIT.conflict,
};

const WORDS = { approve: 'approved', deny: 'denied', answer: 'answered' } as const;

/** Sends an answer and tells what became of it. @throws {CommandFailure} it was refused */
export async function sendAnswer(
  { terminal, settings }: Context,
  { client, named, given }: Sending,
): Promise<ExitCode> {
  const { runId, approval } = named;
  const sent = await answerApproval(client, runId, { id: approval.id, by: settings.user, ...given });
  switch (sent.kind) {
    case 'applied':
      terminal.say(
        `${approval.id}: ${WORDS[given.decision]} by ${visible(settings.user)}. Next: nightshift runs tail ${runId}`,
      );
      return EXIT.done;
    case 'recorded':
      terminal.say(
        `${approval.id}: recorded; no worker answers, and it will be judged by the time it was given. Next: nightshift up`,
      );
      return EXIT.done;
    case 'refused':
      throw new CommandFailure(REFUSAL_CODES[sent.refusal.reason], visible(sent.refusal.message));
    case 'gone':
      throw new CommandFailure(EXIT.conflict, `Cannot answer "${approval.id}": the run has ended`);
  }
}
