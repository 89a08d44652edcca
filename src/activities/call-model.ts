import { createHash } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/activity';
import type { CallModelInput, CallModelResult } from '../contract/activities.ts';
import { REPLY_BYTES_MAX } from '../contract/limits.ts';
import { FAILURES } from '../contract/names.ts';
import { modelFor } from '../core/aside/model-for.ts';
import { textOf, toolUses } from '../core/replies.ts';
import { jsonBytes } from '../core/sizes.ts';
import { ModelError, type CallOptions, type ModelReply, type ModelRequest } from '../models/model.ts';
import { checkCalls } from './check-calls.ts';
import type { Dependencies } from './dependencies.ts';
import { withLiveText } from './live.ts';
import { modelFailure } from './model-failure.ts';
import { requestFor } from './model-request.ts';
import { readTranscript } from './read-transcript.ts';
import { stopSignal } from './stop-signal.ts';
import type { Transcript } from './transcript-cache.ts';

/**
 * Calls a model about the first `messages` messages of the transcript, and checks the calls it asks for. A turn, a plan
 * and the closing summary are said in the conversation; everything else is asked beside it, and leaves no trace in it.
 */
export async function callModel(dependencies: Dependencies, input: CallModelInput): Promise<CallModelResult> {
  const transcript = await readTranscript(dependencies.transcripts, input.messages);
  const started = performance.now();
  const asked = `${input.purpose} ${input.compact?.by ?? ''} ${input.round}`;
  const name = `${transcript.spec.runId} ${asked} ${digestOf(transcript)}`;
  // The heartbeat is each attempt's own, also of one that joins a call still going on.
  const reply = await withLiveText(async (onLive) => {
    return await dependencies.replies.once(name, async () => await ask(dependencies, transcript, { ...input, onLive }));
  });
  const durationMs = Math.round(performance.now() - started);
  const calls = await checkCalls(dependencies, transcript.spec, toolUses(reply.message));
  return { ...reply, calls, durationMs };
}

async function ask(
  dependencies: Dependencies,
  transcript: Transcript,
  input: CallModelInput & Pick<CallOptions, 'onLive'>,
): Promise<ModelReply> {
  const choice = modelFor(transcript.spec, input.purpose, input.compact);
  const signal = stopSignal();
  try {
    const request = requestFor(transcript, input);
    const reply = await dependencies.model(choice).call(request, { signal, onLive: input.onLive });
    guardSize(reply);
    if (input.purpose === 'compact') guardSummary(reply, request);
    return reply;
  } catch (error) {
    throw error instanceof ModelError ? modelFailure(error) : error;
  }
}

/** A reply that history cannot hold is thrown away here; what it cost is still counted. */
function guardSize({ message, usage }: ModelReply): void {
  const bytes = jsonBytes(message);
  if (bytes <= REPLY_BYTES_MAX) return;
  const text = `${bytes} bytes; at most ${REPLY_BYTES_MAX} can be kept`;
  throw ApplicationFailure.nonRetryable(text, FAILURES.replyTooLarge, usage);
}

/** Old turns are given up for their summary, so one that is missing or was cut short must not pass for it. What it cost is told. */
function guardSummary({ message, stopReason, usage }: ModelReply, { compaction }: ModelRequest): void {
  const isWhole = compaction === undefined ? stopReason === 'end_turn' : stopReason === 'compaction';
  if (isWhole && (compaction !== undefined || textOf(message) !== '')) return;
  const text = `Cannot use the summary: it ended with "${stopReason}" and ${textOf(message).length} characters`;
  throw ApplicationFailure.nonRetryable(text, FAILURES.modelRejected, usage);
}

/** Names what the call is about, so that a run which was reset does not get the reply of another conversation. */
function digestOf({ messages }: Transcript): string {
  const text = JSON.stringify([messages.length, messages.at(-1)]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
