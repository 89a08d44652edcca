import { createHash } from 'node:crypto';
import { Context } from '@temporalio/activity';
import type { CallModelInput, CallModelResult } from '../contract/activities.ts';
import { REPLY_BYTES_MAX } from '../contract/limits.ts';
import { FAILURES } from '../contract/names.ts';
import { modelFor } from '../core/aside/model-for.ts';
import { textOf, toolUses } from '../core/replies.ts';
import { jsonBytes } from '../core/sizes.ts';
import { ModelError, type ModelReply } from '../models/model.ts';
import { keepAccount, unusable, type AccountedReply } from './attempt-account.ts';
import { checkCalls } from './check-calls.ts';
import type { Dependencies } from './dependencies.ts';
import { requestFor } from './model-request.ts';
import { readTranscript } from './read-transcript.ts';
import type { Progress } from './reply-keeper.ts';
import { stopSignal } from './stop-signal.ts';
import type { Transcript } from './transcript-cache.ts';

/**
 * Calls a model about the first `messages` messages of the transcript, and checks the calls it asks for. A turn, a plan
 * and the closing summary are said in the conversation; everything else is asked beside it, and leaves no trace in it.
 */
export async function callModel(dependencies: Dependencies, input: CallModelInput): Promise<CallModelResult> {
  const transcript = await readTranscript(dependencies.transcripts, input);
  const started = performance.now();
  const asked = `${input.purpose} ${input.compact?.by ?? ''} ${input.round}`;
  // What an activity used that failed for good was counted, so the next for the same turn must not join its request.
  const { activityId } = Context.current().info;
  const name = `${transcript.spec.runId} ${activityId} ${asked} ${digestOf(transcript)}`;
  // Heartbeat and account are each attempt's own, also of one that joins a call still going on.
  const came = await keepAccount(async (watch) => {
    return await dependencies.replies.once(name, watch, async (report) => {
      return await ask(dependencies, transcript, { ...input, report });
    });
  }, input.mayLose);
  guardSize(came);
  if (input.purpose === 'compact') guardSummary(came, input);
  const durationMs = Math.round(performance.now() - started);
  const { reply, lost } = came;
  const calls = await checkCalls(dependencies, transcript.spec, toolUses(reply.message));
  return { ...reply, calls, durationMs, ...(lost !== undefined && { lost }) };
}

interface Asked extends CallModelInput {
  readonly report: (progress: Progress) => void;
}

async function ask(dependencies: Dependencies, transcript: Transcript, input: Asked): Promise<ModelReply> {
  const { report } = input;
  const choice = modelFor(transcript.spec, input.purpose, input.compact?.by);
  const signal = stopSignal();
  try {
    return await dependencies.model(choice).call(requestFor(transcript, input), {
      signal,
      onLive: (live) => report({ live }),
      onUsage: (usage) => report({ usage }),
    });
  } catch (error) {
    if (error instanceof ModelError && error.usage !== undefined) report({ usage: error.usage });
    throw error;
  }
}

/** A reply that history cannot hold is thrown away here; what it cost is still counted. */
function guardSize(came: AccountedReply): void {
  const bytes = jsonBytes(came.reply.message);
  if (bytes <= REPLY_BYTES_MAX) return;
  throw unusable(`${bytes} bytes; at most ${REPLY_BYTES_MAX} can be kept`, FAILURES.replyTooLarge, came);
}

/** Old turns are given up for their summary, so one that is missing or was cut short must not pass for it. What it cost is told. */
function guardSummary(came: AccountedReply, { compact }: CallModelInput): void {
  const { message, stopReason } = came.reply;
  const isSigned = compact?.by === 'api';
  const isWhole = stopReason === (isSigned ? 'compaction' : 'end_turn');
  if (isWhole && (isSigned || textOf(message) !== '')) return;
  const text = `Cannot use the summary: it ended with "${stopReason}" and ${textOf(message).length} characters`;
  throw unusable(text, FAILURES.modelRejected, came);
}

/** Names what the call is about, so that a run which was reset does not get the reply of another conversation. */
function digestOf({ messages }: Transcript): string {
  const text = JSON.stringify([messages.length, messages.at(-1)]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
