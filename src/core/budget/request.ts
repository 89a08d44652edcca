import type { Amount, LeaseInput } from '../../contract/activities.ts';
import type { Cap, LedgerRequest } from '../../contract/budget.ts';
import { fieldsOf } from '../fields.ts';

const CAPS_MAX = 20;
export const NAME_CHARACTERS_MAX = 200;

/** Dollars or tokens of one sum. */
export const SUM_MAX = 1e15;

export const REQUEST_SHAPE =
  '{"run", "execution", "caps": [{"key", "costUsd"?, "tokens"?}], "input": {"lease", "wanted", "spent", "isLast"?, "topUp"?}}';

/** Reads what is sent to the ledger, by anybody and with anything in it; null when it is no request. Never throws. */
export function readLedgerRequest(value: unknown): LedgerRequest | null {
  const { run, execution, caps, input } = fieldsOf(value);
  const read = { caps: readCaps(caps), input: readInput(input) };
  if (!isName(run) || !isName(execution) || read.caps === null || read.input === null) return null;
  return { run, execution, caps: read.caps, input: read.input };
}

function readInput(value: unknown): LeaseInput | null {
  const { lease, wanted, spent, isLast, topUp } = fieldsOf(value);
  const read = { wanted: readAmount(wanted), spent: readAmount(spent), topUp: readTopUp(topUp) };
  if (!Number.isSafeInteger(lease) || Number(lease) < 1 || read.wanted === null || read.spent === null) return null;
  if (read.topUp === null || (isLast !== undefined && typeof isLast !== 'boolean')) return null;
  return {
    lease: Number(lease),
    wanted: read.wanted,
    spent: read.spent,
    ...(isLast === true && { isLast }),
    ...(read.topUp !== undefined && { topUp: read.topUp }),
  };
}

function readCaps(value: unknown): readonly Cap[] | null {
  if (!Array.isArray(value) || value.length === 0 || value.length > CAPS_MAX) return null;
  const caps = value.map(readCap).filter((cap) => cap !== null);
  return caps.length === value.length && new Set(caps.map(({ key }) => key)).size === caps.length ? caps : null;
}

function readCap(value: unknown): Cap | null {
  const { key, costUsd, tokens } = fieldsOf(value);
  if (!isName(key)) return null;
  if ((costUsd !== undefined && !isSum(costUsd)) || (tokens !== undefined && !isSum(tokens))) return null;
  return { key, ...(costUsd !== undefined && { costUsd }), ...(tokens !== undefined && { tokens }) };
}

function readTopUp(value: unknown): LeaseInput['topUp'] | null {
  if (value === undefined) return undefined;
  const { id, cap, by } = fieldsOf(value);
  const amount = readAmount(value);
  return isName(id) && isName(cap) && isName(by) && amount !== null ? { id, cap, by, ...amount } : null;
}

function readAmount(value: unknown): Amount | null {
  const { costUsd, tokens } = fieldsOf(value);
  return isSum(costUsd) && isSum(tokens) ? { costUsd, tokens } : null;
}

function isSum(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= SUM_MAX;
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= NAME_CHARACTERS_MAX;
}
