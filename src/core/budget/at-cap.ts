import type { Answer, Approval } from '../../contract/approvals.ts';
import type { StopCause } from '../../contract/run.ts';
import type { LimitReached } from '../limits.ts';
import { askAboutRun, type Asked, type Decided } from '../judgement/question.ts';
import type { Cap, Matter } from '../judgement/state.ts';
import { stop } from '../ending.ts';
import { isUnattended } from '../people/questions.ts';
import { note, type Run } from '../run.ts';
import { oneLine } from '../sizes.ts';
import { NAME_CHARACTERS_MAX, SUM_MAX } from './request.ts';

/** A budget that was used up, and what was decided about it. */
interface SettledBudget {
  readonly matter: Extract<Matter, { about: 'budget' }>;
  readonly decided: Decided;
}

/** The run's own limits that a person may raise, as caps. */
const OWN: Readonly<Partial<Record<StopCause, string>>> = { cost: 'run:cost', tokens: 'run:tokens' };

/** Whether a limit of the run's own may be raised by a person, so that nothing need be broken off for it. */
export function mayBeRaised(run: Run, cause: StopCause): boolean {
  return OWN[cause] !== undefined && mayAsk(run);
}

function mayAsk(run: Run): boolean {
  return run.spec.budget?.atCap === 'ask' && !isUnattended(run);
}

/** What happens at a limit of the run's own: for money and tokens a person may be asked to top up. */
export function atOwnLimit(run: Run, { cause, message }: LimitReached, now: number): Run {
  const noted = note(run, now, { type: 'limit.reached', limit: cause, message });
  const key = OWN[cause];
  const { costUsd, tokens } = run.spec.limits;
  if (key === undefined) return stop(noted, cause, message);
  const again = cause === 'cost' ? { costUsd, tokens: 0 } : { costUsd: 0, tokens };
  return atCap(noted, { cap: { key, ...again }, message }, now);
}

/** Asks a person to top up, or stops where nobody can be asked or the spec says so. */
export function atCap(run: Run, { cap, message }: { readonly cap: Cap; readonly message: string }, now: number): Run {
  const noted = note(run, now, { type: 'budget.exhausted', cap: cap.key, message });
  if (!mayAsk(run)) return stop(noted, causeOf(cap.key), message);
  const question: Asked = {
    matter: { about: 'budget', cap, message },
    title: `${message}. Top up?`,
    reason: `the budget ${cap.key} is used up`,
    options: [
      { id: 'topup', label: `Allow ${amountText(cap)} more; another amount may be written beside it` },
      { id: 'stop', label: 'Stop the run' },
    ],
    fallback: 'stop',
  };
  return askAboutRun(noted, question, now);
}

/** Follows what a person decided about a budget that is used up. */
export function settleBudget(run: Run, { matter, decided }: SettledBudget, now: number): Run {
  const { cap, message } = matter;
  const { choice, by, words } = decided;
  if (choice !== 'topup')
    return stop(run, causeOf(cap.key), `${message}; ${by === 'nobody' ? 'nobody topped up' : `${by} did not top up`}`);
  const { costUsd, tokens } = amountOf(words) ?? cap;
  const noted = note(run, now, {
    type: 'budget.topped_up',
    cap: cap.key,
    by,
    message: `${amountText({ costUsd, tokens })} more`,
  });
  const { raised } = run.budget;
  const budget = cap.key.startsWith('run:')
    ? { ...run.budget, raised: { costUsd: raised.costUsd + costUsd, tokens: raised.tokens + tokens } }
    : { ...run.budget, topUp: topUpOf(run, { cap: cap.key, by, costUsd, tokens }) };
  return { ...noted, budget };
}

type TopUp = NonNullable<Run['budget']['topUp']>;

/** Within what the ledger can read: a run whose top-up it cannot read would be parked for ever. */
function topUpOf({ spec, approvalsMade }: Run, { cap, by, costUsd, tokens }: Omit<TopUp, 'id'>): TopUp {
  const id = `${spec.runId}.${approvalsMade}`;
  const sums = { costUsd: Math.min(costUsd, SUM_MAX), tokens: Math.min(tokens, SUM_MAX) };
  return { id, cap, by: oneLine(by, NAME_CHARACTERS_MAX), ...sums };
}

/** Whether an answer tops up by an amount that cannot be read, for which the one offered must not be taken. */
export function isUnreadable({ about }: Approval, { decision, choice, text = '', note: words = '' }: Answer): boolean {
  if (about !== 'budget' || decision !== 'answer' || choice !== 'topup') return false;
  const said = text.trim() === '' && /\d/u.test(words) ? words : text;
  const amount = amountOf(said);
  return said.trim() !== '' && (amount === null || Math.max(amount.costUsd, amount.tokens) > SUM_MAX);
}

/** `$2.50`, `2.50` or `200000 tokens`, as a person writes it; null when it is neither. */
function amountOf(words: string): { readonly costUsd: number; readonly tokens: number } | null {
  const [, dollars, tokens] = /^\s*(?:\$?\s*(\d+(?:\.\d+)?)\s*(?:usd)?|(\d+)\s*tokens?)\s*$/iu.exec(words) ?? [];
  if (dollars !== undefined && Number(dollars) > 0) return { costUsd: Number(dollars), tokens: 0 };
  return tokens !== undefined && Number(tokens) > 0 ? { costUsd: 0, tokens: Number(tokens) } : null;
}

function amountText({ costUsd, tokens }: { readonly costUsd: number; readonly tokens: number }): string {
  const parts = [...(costUsd > 0 ? [`$${costUsd.toFixed(2)}`] : []), ...(tokens > 0 ? [`${tokens} tokens`] : [])];
  return parts.length === 0 ? 'nothing' : parts.join(' and ');
}

function causeOf(key: string): StopCause {
  if (key === OWN.cost) return 'cost';
  return key === OWN.tokens ? 'tokens' : 'budget';
}
