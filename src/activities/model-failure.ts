import { ApplicationFailure, CancelledFailure } from '@temporalio/activity';
import type { Usage } from '../contract/messages.ts';
import { FAILURES } from '../contract/names.ts';
import type { ModelError, ModelErrorKind } from '../models/model.ts';

const TYPES = {
  unavailable: FAILURES.modelUnavailable,
  operator: FAILURES.modelNeedsOperator,
  rejected: FAILURES.modelRejected,
  context: FAILURES.contextOverflow,
} as const satisfies Record<Exclude<ModelErrorKind, 'cancelled'>, string>;

/**
 * A failed model call as Temporal is told: whether it retries, and when; or that a person must act first. The details
 * are what a person must mend, and what all attempts so far used for nothing.
 */
export function modelFailure(error: ModelError, lost?: Usage): ApplicationFailure | CancelledFailure {
  const { kind, message, retryAfterMs, operator } = error;
  const details = lost === undefined ? [operator].filter((word) => word !== undefined) : [operator, lost];
  if (kind === 'cancelled') return new CancelledFailure(message, details);
  return ApplicationFailure.create({
    message,
    type: TYPES[kind],
    nonRetryable: kind !== 'unavailable',
    ...(retryAfterMs !== undefined && { nextRetryDelay: retryAfterMs }),
    ...(details.length > 0 && { details }),
  });
}
