import { randomUUID } from 'node:crypto';
import {
  isGrpcServiceError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
  type Client,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { Answer, Refusal } from '../contract/approvals.ts';
import { FAILURES, SIGNALS, UPDATES } from '../contract/names.ts';
import { READ_TIMEOUT_MS } from './reading.ts';

/**
 * What came of something a person sent: it counted, it was refused with a reason, or it is recorded and will be
 * judged when a worker runs, by the time at which it was sent.
 */
export type Sent =
  | { readonly kind: 'applied' }
  | { readonly kind: 'recorded' }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'gone'; readonly message: string };

/** Answers a question. Without a living worker the answer is recorded by signal, stamped with the time of this call. */
export async function answerApproval(client: Client, runId: string, answer: Omit<Answer, 'at'>): Promise<Sent> {
  const stamped: Answer = { ...answer, at: Date.now() };
  return await sendSurely(client, runId, { update: UPDATES.answer, signal: SIGNALS.answer, input: stamped });
}

/** Says something to a run; it is heard between turns. */
export async function sendMessage(
  client: Client,
  runId: string,
  message: { readonly by: string; readonly text: string },
): Promise<Sent> {
  const input = { ...message, id: randomUUID() };
  return await sendSurely(client, runId, { update: UPDATES.send, signal: SIGNALS.send, input });
}

export async function pauseRun(client: Client, runId: string, by: string): Promise<Sent> {
  return await signalRun(client, runId, { name: SIGNALS.pause, input: { by } });
}

export async function resumeRun(client: Client, runId: string, by: string): Promise<Sent> {
  return await signalRun(client, runId, { name: SIGNALS.resume, input: { by } });
}

/** Asks a run to stop; it stops its tools, keeps its transcript whole, and ends as cancelled. */
export async function cancelRun(client: Client, runId: string): Promise<Sent> {
  return await orGone(runId, async () => {
    const handle = client.workflow.getHandle(runId);
    // A cancel of a closed run succeeds on the server, and would be a lie here.
    const { status } = await handle.describe();
    if (status.name !== 'RUNNING') return { kind: 'gone', message: `Cannot cancel "${runId}": it has ended already` };
    await handle.cancel();
    return { kind: 'recorded' };
  });
}

interface Sending {
  readonly update: string;
  readonly signal: string;
  readonly input: unknown;
}

/** An update tells what came of it but needs a worker; a signal needs none. So: the one, and else the other. */
async function sendSurely(client: Client, runId: string, { update, signal, input }: Sending): Promise<Sent> {
  return await orGone(runId, async () => {
    try {
      const handle = client.workflow.getHandle(runId);
      await client.withDeadline(
        Date.now() + READ_TIMEOUT_MS,
        async () => await handle.executeUpdate<unknown, [unknown]>(update, { args: [input] }),
      );
      return { kind: 'applied' };
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal !== null) return { kind: 'refused', refusal };
      if (!isSilence(error)) throw error;
      return await signalRun(client, runId, { name: signal, input });
    }
  });
}

async function signalRun(
  client: Client,
  runId: string,
  { name, input }: { name: string; input: unknown },
): Promise<Sent> {
  return await orGone(runId, async () => {
    await client.workflow.getHandle(runId).signal<[unknown]>(name, input);
    return { kind: 'recorded' };
  });
}

async function orGone(runId: string, send: () => Promise<Sent>): Promise<Sent> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    return { kind: 'gone', message: `Cannot reach "${runId}": there is no such run, or it has ended` };
  }
}

function refusalOf(error: unknown): Refusal | null {
  if (!(error instanceof WorkflowUpdateFailedError) || !(error.cause instanceof ApplicationFailure)) return null;
  const { type, details, message } = error.cause;
  if (type === FAILURES.answerRefused) return details?.[0] as Refusal;
  return { reason: 'malformed', message };
}

function isSilence(error: unknown): boolean {
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) return true;
  const codes = [1, 4];
  return isGrpcServiceError(error) && codes.includes(error.code);
}
