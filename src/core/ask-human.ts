import type { ApprovalKind, ApprovalOption } from '../contract/approvals.ts';
import type { ToolDefinition } from '../contract/spec.ts';

/** The control tool by which an agent asks a person by itself. The workflow answers it; no activity runs. */
export const ASK_HUMAN = 'ask_human';

export const askHumanDefinition: ToolDefinition = {
  name: ASK_HUMAN,
  description:
    'Ask a person a question and wait for the answer. Give `options` when they can choose among a few; leave them ' +
    'out when you need words. The person may take hours, may decline, or may not answer in time; you will be told which.',
  inputSchema: {
    type: 'object',
    properties: {
      question: { type: 'string', description: 'What you need to know, with all that is needed to answer it.' },
      options: {
        type: 'array',
        minItems: 2,
        maxItems: 9,
        items: { type: 'string' },
        description: 'What the person can choose from, if it is a choice.',
      },
    },
    required: ['question'],
    additionalProperties: false,
  },
  effect: 'read',
  timeoutMs: 1,
  local: false,
};

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
  const { question, options } = (typeof input === 'object' && input !== null ? input : {}) as Record<string, unknown>;
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
