import { ApplicationFailure, CancelledFailure } from '@temporalio/activity';
import { FAILURES } from '../contract/names.ts';
import type { ModelError, ModelErrorKind } from '../models/model.ts';

const TYPES = {
  unavailable: FAILURES.modelUnavailable,
  operator: FAILURES.modelNeedsOperator,
  rejected: FAILURES.modelRejected,
  context: FAILURES.contextOverflow,
} as const satisfies Record<Exclude<ModelErrorKind, 'cancelled'>, string>;

/** A failed model call as Temporal is told: whether it retries, and when; or that a person must act first. */
export function modelFailure(error: ModelError): ApplicationFailure | CancelledFailure {
  const { kind, message, retryAfterMs, operator } = error;
  if (kind === 'cancelled') return new CancelledFailure(message);
  return ApplicationFailure.create({
    message,
    type: TYPES[kind],
    nonRetryable: kind !== 'unavailable',
    ...(retryAfterMs !== undefined && { nextRetryDelay: retryAfterMs }),
    ...(operator !== undefined && { details: [operator] }),
  });
}
