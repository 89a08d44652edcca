import * as z from 'zod';
import type { HookResult } from '../contract/activities.ts';
import type { HookMoment } from '../contract/terms.ts';
import { HOOK_OUTPUT_CHARACTERS_MAX, type HookCommandEnd } from '../tools/commands/hook-command.ts';

/** What a hook says, before secrets are taken out. */
export type HookAnswer = Pick<HookResult, 'status' | 'reason' | 'context'>;

/** By this code a command denies without writing JSON. */
const DENY_CODE = 2;

const SHAPE = '{"decision"?: "deny", "reason"?: text, "context"?: text}';

/** A key that is mistyped must not pass as an answer that denies nothing. */
const answerSchema = z.strictObject({
  decision: z.literal('deny').optional(),
  reason: z.string().optional(),
  context: z.string().optional(),
});

/** Reads what a command that ended meant. Undefined when it was cancelled, which is no answer. */
export function answerOf(on: HookMoment, ran: HookCommandEnd, timeoutMs: number): HookAnswer | undefined {
  const { end } = ran;
  switch (end.kind) {
    case 'exit':
      return exited(on, ran, end.code);
    case 'killed':
      return failed(`its command was killed by ${end.by}${said(ran)}`);
    case 'stopped':
      return failed(`its command was killed: ${end.why}${said(ran)}`);
    case 'timeout':
      return failed(`its command took longer than ${timeoutMs / 1_000} s${said(ran)}`);
    case 'unconfined':
      return failed(`its command cannot be confined: the sandbox could not be made${said(ran)}`);
    case 'cancelled':
      return undefined;
  }
}

export function failed(reason: string): HookAnswer {
  return { status: 'failed', reason, context: '' };
}

function exited(on: HookMoment, ran: HookCommandEnd, code: number): HookAnswer {
  if (code === 0) return read(on, ran);
  if (code === DENY_CODE && on === 'before_tool') return denied(on, ran.errors, '');
  return failed(`its command ended with exit code ${code}${said(ran)}`);
}

function read(on: HookMoment, { output, isCut }: HookCommandEnd): HookAnswer {
  if (isCut)
    return failed(`it printed more than ${HOOK_OUTPUT_CHARACTERS_MAX} characters; expected nothing or ${SHAPE}`);
  if (output.trim() === '') return { status: 'ok', reason: '', context: '' };
  const answer = answerSchema.safeParse(parsed(output));
  if (!answer.success)
    return failed(`what it printed is no answer; expected nothing or ${SHAPE}, got ${output.trim()}`);
  const { decision, reason = '', context = '' } = answer.data;
  return decision === 'deny' ? denied(on, reason, context) : { status: 'ok', reason, context };
}

/** A denial where nothing can be denied would be shown as one, and nothing would have been stopped. */
function denied(on: HookMoment, reason: string, context: string): HookAnswer {
  const words = reason.trim() === '' ? 'it gave no reason' : reason.trim();
  if (on === 'before_tool') return { status: 'denied', reason: words, context };
  return failed(`it denied at ${on}, where nothing can be denied; expected that of before_tool only: ${words}`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function said({ errors }: HookCommandEnd): string {
  return errors.trim() === '' ? '' : `; it said: ${errors.trim()}`;
}
