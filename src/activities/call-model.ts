import { createHash } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/activity';
import type { CallModelInput, CallModelResult } from '../contract/activities.ts';
import { REPLY_BYTES_MAX } from '../contract/limits.ts';
import { FAILURES } from '../contract/names.ts';
import type { UserMessage } from '../contract/messages.ts';
import type { RunSpec } from '../contract/spec.ts';
import { CRITIQUE_QUESTION } from '../core/critique.ts';
import { toolUses } from '../core/replies.ts';
import { jsonBytes } from '../core/sizes.ts';
import { ModelError, type CallOptions, type ModelReply, type ModelTool } from '../models/model.ts';
import { checkCalls } from './check-calls.ts';
import type { Dependencies } from './dependencies.ts';
import { withLiveText } from './live.ts';
import { modelFailure } from './model-failure.ts';
import { readTranscript } from './read-transcript.ts';
import { stopSignal } from './stop-signal.ts';
import type { Transcript } from './transcript-cache.ts';

/** Calls the model with the first `messages` messages of the transcript, and checks the calls it asks for. */
export async function callModel(dependencies: Dependencies, input: CallModelInput): Promise<CallModelResult> {
  const transcript = await readTranscript(dependencies.transcripts, input.messages);
  const started = performance.now();
  const name = `${transcript.spec.runId} ${input.round} ${digestOf(transcript)}`;
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
  { spec, messages }: Transcript,
  { purpose, onLive }: Pick<CallModelInput, 'purpose'> & Pick<CallOptions, 'onLive'>,
): Promise<ModelReply> {
  const { id, maxTokens, effort } = spec.model;
  const request = {
    model: id,
    maxTokens,
    system: spec.system,
    tools: toolsSent(spec),
    messages: purpose === 'critique' ? [...messages, CRITIQUE] : messages,
    toolChoice: purpose === 'turn' ? ('auto' as const) : ('none' as const),
    ...(effort !== undefined && { effort }),
  };
  const signal = stopSignal();
  try {
    const reply = await dependencies.model(spec.model).call(request, { signal, onLive });
    guardSize(reply);
    return reply;
  } catch (error) {
    throw error instanceof ModelError ? modelFailure(error) : error;
  }
}

/** What is found by search is never sent by itself: the list of tools must stay as it is. */
function toolsSent({ tools }: RunSpec): readonly ModelTool[] {
  return tools
    .filter(({ deferred }) => deferred !== true)
    .map((tool) => (tool.origin?.kind === 'api' ? { ...tool, apiType: tool.origin.type } : tool));
}

/** The question of a critique stands behind the conversation, so that the cached prefix serves it too. */
const CRITIQUE: UserMessage = { role: 'user', content: [{ type: 'text', text: CRITIQUE_QUESTION }] };

/** A reply that history cannot hold is thrown away here; what it cost is still counted. */
function guardSize({ message, usage }: ModelReply): void {
  const bytes = jsonBytes(message);
  if (bytes <= REPLY_BYTES_MAX) return;
  const text = `${bytes} bytes; at most ${REPLY_BYTES_MAX} can be kept`;
  throw ApplicationFailure.nonRetryable(text, FAILURES.replyTooLarge, usage);
}

/** Names what the call is about, so that a run which was reset does not get the reply of another conversation. */
function digestOf({ messages }: Transcript): string {
  const text = JSON.stringify([messages.length, messages.at(-1)]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
