import { ApplicationFailure } from '@temporalio/activity';
import type { HookInput, HookResult } from '../contract/activities.ts';
import type { Message } from '../contract/messages.ts';
import type { Hook } from '../contract/terms.ts';
import { HOOK_CONTEXT_BYTES_MAX } from '../core/hooks/hooks.ts';
import { textOf, toolUses } from '../core/replies.ts';
import { fitText } from '../core/sizes.ts';
import { effectiveUse, type EffectiveUse } from '../core/calls/use-tool.ts';
import { runHookCommand, type HookMeans } from '../tools/commands/hook-command.ts';
import { textDigest } from '../tools/digest.ts';
import { openWorkspace } from '../tools/files/workspace.ts';
import { callKey, type Ledger } from '../tools/ledger/ledger.ts';
import { onceClaimed, refuseWhileAbandoned } from './busy.ts';
import type { Dependencies } from './dependencies.ts';
import { answerOf, failed, type HookAnswer } from './hook-answer.ts';
import { withLiveText } from './live.ts';
import { readTranscript } from './read-transcript.ts';
import { stopSignal } from './stop-signal.ts';
import type { Transcript } from './transcript-cache.ts';

const REASON_BYTES_MAX = 2_000;

export type HookDependencies = Pick<Dependencies, 'transcripts' | 'redactor' | 'ledgerOf' | 'holder'> & {
  readonly hooks: HookMeans;
};

interface Step {
  readonly hook: Hook;
  readonly transcript: Transcript;
  readonly ledger: Ledger;
  /** Names this run of the hook for ever: the same on every attempt, and never that of another. */
  readonly key: string;
  /** What the hook is told, with the secrets still in it. */
  readonly matter: object;
}

/**
 * Runs one hook, at most once where that matters. Whatever goes wrong with its command is a result, so that a hook never
 * loses a run; only what the next attempt may find mended is thrown.
 */
export async function runHook(dependencies: HookDependencies, input: HookInput): Promise<HookResult> {
  const transcript = await readTranscript(dependencies.transcripts, input);
  const hook = findHook(transcript, input);
  const { runId, workspace } = transcript.spec;
  const ledger = await dependencies.ledgerOf(workspace).catch(() => null);
  if (ledger === null) return result(failed(`the workspace "${workspace}" cannot be used`), 0);
  const matter = matterOf(transcript, hook, input);
  const key = hookKeyOf(input, matter);
  await refuseWhileAbandoned(ledger, { run: runId, key });
  const step: Step = { hook, transcript, ledger, key, matter };
  return await withLiveText(async () =>
    hook.effect === 'read' ? await execute(dependencies, step) : await executeOnce(dependencies, step),
  );
}

function findHook({ spec }: Transcript, { hook: name }: HookInput): Hook {
  const hook = spec.hooks?.find((candidate) => candidate.name === name);
  if (hook !== undefined) return hook;
  throw ApplicationFailure.nonRetryable(`Cannot run the hook "${name}": the spec has no hook of that name`);
}

/** In this order, and without what there is nothing to say about. */
function matterOf(transcript: Transcript, hook: Hook, { turn, callId, about }: HookInput): object {
  const { runId, agent } = transcript.spec;
  const use = callId === undefined ? undefined : findCall(transcript, callId);
  const lastReply = lastReplyOf(transcript.messages);
  return {
    hook: hook.name,
    on: hook.on,
    runId,
    agent: agent.name,
    turn,
    ...(use !== undefined && { tool: use.name, input: use.input }),
    ...toldAbout(hook, about),
    ...(lastReply !== '' && { lastReply }),
  };
}

function findCall({ messages }: Transcript, callId: string): EffectiveUse {
  const message = messages.findLast(({ role }) => role === 'assistant');
  const use = message?.role === 'assistant' ? toolUses(message).find(({ id }) => id === callId) : undefined;
  if (use !== undefined) return effectiveUse(use);
  throw ApplicationFailure.nonRetryable(`Cannot run a hook for call "${callId}": the transcript has no such call`);
}

function toldAbout({ on }: Hook, about: unknown): object {
  if (about === undefined) return {};
  switch (on) {
    case 'after_tool':
      return { result: about };
    case 'after_critique':
      return { verdict: about };
    case 'before_stop':
      return { outcome: about };
    default:
      return {};
  }
}

function lastReplyOf(messages: readonly Message[]): string {
  const message = messages.findLast(({ role }) => role === 'assistant');
  return message?.role === 'assistant' ? textOf(message) : '';
}

/**
 * The matter is in it, because a run that was reset comes to the same turn again with another reply, and must not find
 * what a hook said about the earlier one; with its secrets, because a worker may come to know more of them.
 */
function hookKeyOf({ chain, hook, turn, round, callId = '' }: HookInput, matter: object): string {
  const digest = textDigest(JSON.stringify([callId, matter])).slice(7, 19);
  return `${chain.slice(0, 8)}-hook-${hook}-t${turn}-r${round}-${digest}`;
}

async function executeOnce(dependencies: HookDependencies, step: Step): Promise<HookResult> {
  const { ledger, transcript, key, hook } = step;
  const claim = { run: transcript.spec.runId, call: key, effect: hook.effect, holder: dependencies.holder };
  const work = async (): Promise<HookResult> => await execute(dependencies, step);
  return await onceClaimed(ledger, claim, { what: 'hook', work, unknown: () => result(failed(INTERRUPTED), 0) });
}

const INTERRUPTED =
  'its worker was lost while it ran, so it is not known what it did; its effect is unsafe, so it was not started again';

async function execute(dependencies: HookDependencies, step: Step): Promise<HookResult> {
  const started = performance.now();
  const signal = stopSignal();
  const answer = await answered(dependencies, step, signal).catch((error: unknown) => {
    if (signal.aborted) throw error;
    return failed(error instanceof Error ? error.message : String(error));
  });
  return redacted(dependencies, result(answer, Math.round(performance.now() - started)));
}

async function answered(
  { hooks, redactor, holder }: HookDependencies,
  { hook, transcript, matter, key: place }: Step,
  signal: AbortSignal,
): Promise<HookAnswer> {
  const key = callKey(transcript.spec.runId, place);
  const isKeyed = hook.effect === 'keyed';
  const { root } = await openWorkspace(transcript.spec.workspace);
  const shown = { ...(redactor.value(matter) as object), ...(isKeyed && { key }) };
  const { name, command, timeoutMs } = hook;
  const wish = { name, command, root, key, isKeyed, worker: holder.worker, timeoutMs, signal };
  const ran = await runHookCommand(hooks, { ...wish, input: `${JSON.stringify(shown)}\n` });
  const answer = answerOf(hook.on, ran, timeoutMs);
  if (answer === undefined) throw signal.reason;
  return answer;
}

/** Cut after secrets are taken out: one that is cut in two is not known any more. */
function redacted({ redactor }: HookDependencies, { reason, context, ...rest }: HookResult): HookResult {
  return {
    ...rest,
    reason: fitText(redactor.text(reason), REASON_BYTES_MAX),
    context: fitText(redactor.text(context), HOOK_CONTEXT_BYTES_MAX),
  };
}

function result(answer: HookAnswer, durationMs: number): HookResult {
  return { ...answer, durationMs };
}
