import type { Answer, Refusal } from '../../contract/approvals.ts';
import { isUnreadable } from '../budget/at-cap.ts';
import { replaceApproval, settle } from './approvals.ts';
import { note, type Run } from '../run.ts';

/** Takes an answer, or records why it was refused. */
export function answer(run: Run, given: Answer, now: number): Run {
  const settled = settle(run.approvals, given, now);
  const { id, by } = given;
  if (settled.kind === 'refused') return note(run, now, { type: 'approval.refused', id, by, ...settled.refusal });
  const { approval } = settled;
  const answered = { ...run, approvals: replaceApproval(run.approvals, approval) };
  const words = given.note === undefined ? {} : { note: given.note };
  return note(answered, now, { type: 'approval.decided', id, status: approval.status, by, ...words });
}

const AMOUNT = 'it wants an amount such as $5 or 200000 tokens, or none for the one offered';

/** Why an answer would be refused, or null; asked by the update before anything is written. */
export function answerRefusal(run: Run, given: Answer, now: number): Refusal | null {
  const settled = settle(run.approvals, given, now);
  if (settled.kind === 'refused') return settled.refusal;
  if (!isUnreadable(settled.approval, given)) return null;
  return { reason: 'wrong_kind', message: `Cannot answer "${given.id}": ${AMOUNT}` };
}

export function pause(run: Run, by: string, now: number): Run {
  if (run.paused !== null || run.result !== null) return run;
  return note({ ...run, paused: { by, since: now } }, now, { type: 'run.paused', by });
}

/** Goes on after a pause, or after a person mended what the run was parked for. */
export function resume(run: Run, by: string, now: number): Run {
  if (run.paused === null && run.parked === null) return run;
  return note({ ...run, paused: null, parked: null }, now, { type: 'run.resumed', by });
}
