import type { AcceptedAnswer, Approval, ApprovalOption, RunQuestion } from '../../contract/approvals.ts';
import { openQuestion } from '../people/questions.ts';
import type { Run } from '../run.ts';
import { oneLine } from '../sizes.ts';
import type { Matter } from './state.ts';

/** A question about the run. */
export interface Asked {
  readonly matter: Matter;
  readonly title: string;
  readonly reason: string;
  readonly options: readonly ApprovalOption[];
  /** The option that is followed when nobody answers. */
  readonly fallback: string;
}

const TITLE_CHARACTERS_MAX = 300;

/** Asks a person about the run itself, with the contract of any approval. */
export function askAboutRun(run: Run, { matter, ...asked }: Asked, now: number): Run {
  const opened = openQuestion(
    run,
    { ...asked, kind: 'choose', title: oneLine(asked.title, TITLE_CHARACTERS_MAX), about: matter.about },
    now,
  );
  return { ...opened, matter };
}

/** The open question about the run, or undefined. */
export function openMatter({ approvals, matter }: Run): Approval | undefined {
  return matter === null ? undefined : approvals.find(({ about, status }) => about !== undefined && status === 'open');
}

/** What a person, or nobody, decided about the run. */
export interface Decided {
  readonly choice: string;
  readonly by: string;
  /** What they said besides; empty when they said nothing. */
  readonly words: string;
  readonly isByPerson: boolean;
}

/** The newest decision about the run, or null while its question is open. */
export function decidedMatter({ approvals }: Run, about: RunQuestion): Decided | null {
  const approval = approvals.findLast((one) => one.about === about);
  if (approval === undefined) return { choice: '', by: 'nobody', words: '', isByPerson: false };
  if (approval.status === 'open') return null;
  return approval.status === 'answered' && approval.answer !== undefined
    ? byPerson(approval, approval.answer)
    : { choice: approval.fallback ?? '', by: approval.answer?.by ?? 'nobody', words: '', isByPerson: false };
}

function byPerson({ fallback = '' }: Approval, { choice = fallback, by, text, note }: AcceptedAnswer): Decided {
  return { choice, by, words: (text ?? note ?? '').trim(), isByPerson: true };
}
