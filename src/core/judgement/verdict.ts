import type { Verdict } from '../../contract/run.ts';
import { jsonObjects } from '../json-objects.ts';
import { oneLine } from '../sizes.ts';

const ACTIONS: readonly unknown[] = ['continue', 'retry', 'replan', 'complete'] satisfies Verdict['action'][];

/** What is taken for the confidence of a verdict that names none. */
const CONFIDENCE_UNSAID = 50;

const REASON_CHARACTERS_MAX = 2_000;

/** The first JSON object in a text, if it is a verdict. */
export function readVerdict(text: string): Verdict | null {
  const { action, reason = '', confidence } = firstObject(text);
  if (!ACTIONS.includes(action) || typeof reason !== 'string') return null;
  return {
    action: action as Verdict['action'],
    reason: oneLine(reason, REASON_CHARACTERS_MAX),
    confidence: typeof confidence === 'number' ? Math.min(100, Math.max(0, confidence)) : CONFIDENCE_UNSAID,
  };
}

/** What a model says that was asked whether the task is done. */
export interface CompletionJudgement {
  readonly complete: boolean;
  readonly reason: string;
}

/** The first JSON object in a text, if it says whether the task is done. */
export function readCompletion(text: string): CompletionJudgement | null {
  const { complete, reason = '' } = firstObject(text);
  if (typeof complete !== 'boolean' || typeof reason !== 'string') return null;
  return { complete, reason: oneLine(reason, REASON_CHARACTERS_MAX) };
}

function firstObject(text: string): Readonly<Record<string, unknown>> {
  return jsonObjects(text)[0] ?? {};
}
