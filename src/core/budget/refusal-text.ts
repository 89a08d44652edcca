import type { Amount } from '../../contract/activities.ts';
import type { Cap } from '../../contract/budget.ts';
import { keyText } from './keys.ts';
import { COUNTERS_MAX } from './ledger-state.ts';

export interface Refused {
  readonly cap: Cap;
  readonly counter: { readonly toppedUp: Amount; readonly spent: Amount } | undefined;
  /** Reserved by other runs. */
  readonly others: Amount;
  readonly room: Partial<Amount>;
  readonly wanted: Amount;
}

/** One sentence with numbers, of money when that is what is missing, else of tokens. */
export function refusalText(refused: Refused): string {
  const { wanted, room } = refused;
  const isMoney = wanted.costUsd > (room.costUsd ?? Infinity);
  return isMoney ? sentence(refused, 'costUsd', dollars) : sentence(refused, 'tokens', tokens);
}

export function fullText(): string {
  return `the ledger keeps ${COUNTERS_MAX} budgets, and all of them are in use`;
}

function sentence(
  { cap, counter, others, room, wanted }: Refused,
  unit: keyof Amount,
  text: (value: number) => string,
): string {
  const limit = (cap[unit] ?? 0) + (counter?.toppedUp[unit] ?? 0);
  const reserved = others[unit] > 0 ? `, ${text(others[unit])} reserved by other runs` : '';
  const numbers = `${text(counter?.spent[unit] ?? 0)} spent${reserved}, ${text(room[unit] ?? 0)} left`;
  return `the budget of ${text(limit)} for ${keyText(cap.key)} is used up: ${numbers}, and the next call may take ${text(wanted[unit])}`;
}

/** Cents, or as many digits as a sum of less needs to be seen. */
function dollars(value: number): string {
  const isInCents = value === 0 || value >= 0.1 || Number(value.toFixed(2)) === value;
  return `$${value.toFixed(isInCents ? 2 : Math.min(9, Math.ceil(-Math.log10(value)) + 1))}`;
}

function tokens(value: number): string {
  return `${String(Math.round(value)).replaceAll(/\B(?=(?:\d{3})+$)/gu, ',')} tokens`;
}
