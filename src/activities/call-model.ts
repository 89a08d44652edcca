import { createHash } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/activity';
import { ASK_HUMAN } from '../contract/ask-human.ts';
import type { CallModelInput, CallModelResult, CheckedCall } from '../contract/activities.ts';
import { REPLY_BYTES_MAX } from '../contract/limits.ts';
import { FAILURES } from '../contract/names.ts';
import type { UserMessage } from '../contract/messages.ts';
import { CRITIQUE_QUESTION } from '../core/critique.ts';
import { toolUses } from '../core/replies.ts';
import { jsonBytes, oneLine } from '../core/sizes.ts';
import { ModelError, type CallOptions, type ModelReply } from '../models/model.ts';
import type { Registry } from '../tools/registry.ts';
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
  const calls = toolUses(reply.message).map((use) => checkCall(dependencies.registry, use));
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
    tools: spec.tools,
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

/** The question of a critique stands behind the conversation, so that the cached prefix serves it too. */
const CRITIQUE: UserMessage = { role: 'user', content: [{ type: 'text', text: CRITIQUE_QUESTION }] };

/** A reply that history cannot hold is thrown away here; what it cost is still counted. */
function guardSize({ message, usage }: ModelReply): void {
  const bytes = jsonBytes(message);
  if (bytes <= REPLY_BYTES_MAX) return;
  const text = `${bytes} bytes; at most ${REPLY_BYTES_MAX} can be kept`;
  throw ApplicationFailure.nonRetryable(text, FAILURES.replyTooLarge, usage);
}

function checkCall(registry: Registry, { id, name, input }: { id: string; name: string; input: unknown }): CheckedCall {
  if (name !== ASK_HUMAN) return { id, ...registry.check(name, input) };
  const { question } = (input ?? {}) as { question?: unknown };
  const summary = oneLine(`${ASK_HUMAN}: ${typeof question === 'string' ? question : ''}`, 200);
  return { id, digest: registry.digestOf(name, input), summary };
}

/** Names what the call is about, so that a run which was reset does not get the reply of another conversation. */
function digestOf({ messages }: Transcript): string {
  const text = JSON.stringify([messages.length, messages.at(-1)]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
