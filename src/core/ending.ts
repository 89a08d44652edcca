import type { Outcome, StopCause } from '../contract/run.ts';
import { sayAsUser, type Run } from './run.ts';
import { told } from './told.ts';

/** How often in a row a reply may be unusable before the run ends. */
export const PROBLEMS_MAX = 3;

/** Causes after which one more model call may tell what was done; money and broken replies are not spent on it. */
const SUMMARY_CAUSES: ReadonlySet<StopCause> = new Set([
  'turns',
  'tool_calls',
  'active_time',
  'approval_expired',
  'outputs_missing',
  'consecutive_errors',
  'loop',
  'person',
]);

/** Decides that the run stops before its goal. */
export function stop(run: Run, reason: StopCause, message: string): Run {
  return { ...run, ending: { status: 'stopped', reason, message } };
}

export function wantsSummary(ending: Outcome): boolean {
  return ending.status === 'stopped' && SUMMARY_CAUSES.has(ending.reason);
}

/** Puts the question for the closing summary into the transcript, once. */
export function askForSummary(run: Run): Run {
  if (run.summaryAsked || run.ending?.status !== 'stopped') return run;
  return { ...sayAsUser(run, told.summary(run.ending.message)), summaryAsked: true };
}
