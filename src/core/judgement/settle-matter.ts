import { settleBudget } from '../budget/at-cap.ts';
import { instruct } from '../people/inbox.ts';
import { forgetOldest } from '../people/approvals.ts';
import type { Run } from '../run.ts';
import { followVerdict } from './critique.ts';
import { settleLoop } from './loop.ts';
import { decidedMatter } from './question.ts';

/** Follows what a person, or nobody, decided about the run, once it is decided. */
export function settleMatter(run: Run, now: number): Run {
  const { matter } = run;
  const decided = matter === null ? null : decidedMatter(run, matter.about);
  if (matter === null || decided === null) return run;
  const settled: Run = { ...run, matter: null, approvals: forgetOldest(run.approvals) };
  switch (matter.about) {
    case 'critique': {
      const action = ACTIONS.find((known) => known === decided.choice) ?? 'continue';
      const reason = decided.words === '' ? matter.verdict.reason : decided.words;
      const { by, isByPerson } = decided;
      const heard = decided.words === '' ? settled : instruct(settled, { by, text: decided.words });
      return followVerdict(heard, { verdict: { ...matter.verdict, action, reason }, by, isByPerson }, now);
    }
    case 'loop':
      return settleLoop(settled, matter.found, decided);
    case 'budget':
      return settleBudget(settled, { matter, decided }, now);
  }
}

const ACTIONS = ['continue', 'retry', 'replan', 'complete'] as const;
