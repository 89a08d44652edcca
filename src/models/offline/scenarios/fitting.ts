import type { Scenario } from '../scenario.ts';
import { aside } from './aside.ts';
import { auditor } from './auditor.ts';
import { general } from './general.ts';
import { summary } from './summary.ts';

/** The part for a request without a script, chosen by what stands in the request and by nothing else. */
export const fittingScenario: Scenario = (seen) => {
  if (seen.aside !== null || seen.format !== null) return aside(seen);
  if (seen.summaryWanted) return summary(seen);
  return /\bAgent: auditor\b/.test(seen.system) ? auditor(seen) : general(seen);
};
