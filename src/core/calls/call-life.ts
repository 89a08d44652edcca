import type { ToolCall, ToolCallResult, ToolCallStatus } from '../../contract/tool-calls.ts';

/**
 * The life of a call: which status may follow which. A call that waits for a person after it was started
 * (`executing → awaiting_approval`) is one whose outcome is unknown, or whose tool asks something.
 */
export const CALL_LIFE: Readonly<Record<ToolCallStatus, readonly ToolCallStatus[]>> = {
  validating: ['scheduled', 'error', 'denied'],
  scheduled: ['awaiting_approval', 'executing', 'success', 'error', 'denied', 'cancelled'],
  awaiting_approval: ['scheduled', 'success', 'denied', 'expired', 'cancelled', 'unknown'],
  executing: ['awaiting_approval', 'success', 'error', 'denied', 'cancelled', 'unknown'],
  success: [],
  error: [],
  denied: [],
  expired: [],
  cancelled: [],
  unknown: [],
};

/** The call in its next status; one that has ended, or cannot get there, stays as it is. */
export function moved(call: ToolCall, status: ToolCallStatus): ToolCall {
  return CALL_LIFE[call.status].includes(status) ? { ...call, status } : call;
}

/** The call at its end, with the result the model will read. */
export function ended(call: ToolCall, result: ToolCallResult): ToolCall {
  const { open: _asked, ...rest } = moved(call, result.status);
  return rest.status === result.status ? { ...rest, result } : call;
}

export function isOpen(call: ToolCall): boolean {
  return call.result === undefined;
}
