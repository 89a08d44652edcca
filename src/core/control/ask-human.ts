import type { ApprovalKind, ApprovalOption } from '../../contract/approvals.ts';
import { fieldsOf } from '../fields.ts';

export type ParsedQuestion =
  | {
      readonly ok: true;
      readonly kind: ApprovalKind;
      readonly question: string;
      readonly options: readonly ApprovalOption[];
    }
  | { readonly ok: false; readonly problem: string };

/** Reads the input of `ask_human`, which no worker validates. */
export function parseQuestion(input: unknown): ParsedQuestion {
  const { question, options } = fieldsOf(input);
  if (typeof question !== 'string' || question.trim() === '') {
    return { ok: false, problem: 'expected {"question": string, "options"?: [string, string, …]}' };
  }
  if (options === undefined || options === null) return { ok: true, kind: 'answer', question, options: [] };
  if (!areOptions(options)) return { ok: false, problem: '"options" must be 2 to 9 texts' };
  const numbered = options.map((label, index) => ({ id: String(index + 1), label }));
  return { ok: true, kind: 'choose', question, options: numbered };
}

function areOptions(options: unknown): options is readonly string[] {
  if (!Array.isArray(options) || options.length < 2 || options.length > 9) return false;
  return options.every((label) => typeof label === 'string' && label !== '');
}
