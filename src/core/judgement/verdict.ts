import type { Verdict } from '../../contract/run.ts';
import { jsonObjects, readConfidence } from '../json-objects.ts';
import { oneLine } from '../sizes.ts';

const ACTIONS: readonly unknown[] = ['continue', 'retry', 'replan', 'complete'] satisfies Verdict['action'][];

/** What is taken for the confidence of a verdict that names none. */
const CONFIDENCE_UNSAID = 50;

const REASON_CHARACTERS_MAX = 2_000;

/** The first JSON object in a text that is a verdict, whatever stands around it; null when there is none. */
export function readVerdict(text: string): Verdict | null {
  const said = jsonObjects(text).find(({ action }) => ACTIONS.includes(action));
  if (said === undefined) return null;
  const share = readConfidence(said['confidence']);
  return {
    action: said['action'] as Verdict['action'],
    reason: readReason(said['reason']),
    confidence: share === null ? CONFIDENCE_UNSAID : Math.round(share * 100),
  };
}

/** What a model says that was asked whether the task is done. */
export interface CompletionJudgement {
  readonly complete: boolean;
  readonly reason: string;
}

/** The first JSON object in a text that says whether the task is done; null when there is none. */
export function readCompletion(text: string): CompletionJudgement | null {
  const said = jsonObjects(text).find(({ complete }) => typeof complete === 'boolean');
  return said === undefined ? null : { complete: said['complete'] === true, reason: readReason(said['reason']) };
}

function readReason(reason: unknown): string {
  return typeof reason === 'string' ? oneLine(reason, REASON_CHARACTERS_MAX) : '';
}
