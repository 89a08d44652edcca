import type { CallPurpose } from '../../contract/run.ts';
import type { RunSpec } from '../../contract/spec.ts';
import type { ModelChoice } from '../../contract/terms.ts';

/** The model that is called for a purpose; `by` says who writes a summary. A lighter one screens where the spec names one; what it finds is confirmed by the run's own. */
export function modelFor(
  spec: Pick<RunSpec, 'model' | 'screening' | 'critique' | 'planner'>,
  purpose: CallPurpose,
  by?: 'api' | 'model',
): ModelChoice {
  const screening = spec.screening ?? spec.model;
  switch (purpose) {
    case 'critique':
      return spec.critique.model ?? screening;
    case 'completion':
    case 'loop':
      return screening;
    case 'compact':
      // The API signs only what it reads itself, so the model of the conversation must sum it up.
      return by === 'api' ? spec.model : screening;
    case 'plan':
      return spec.planner?.model ?? spec.model;
    case 'turn':
    case 'summary':
    case 'loop_confirm':
      return spec.model;
  }
}
