import { ApplicationFailure, Context } from '@temporalio/activity';
import type { LiveText, RunToolInput, RunToolResult } from '../contract/activities.ts';
import type { ToolUseBlock } from '../contract/messages.ts';
import { FAILURES } from '../contract/names.ts';
import type { Effect } from '../contract/tool-calls.ts';
import { grantCovers } from '../core/policy.ts';
import { toolUses } from '../core/replies.ts';
import { notRun, told } from '../core/told.ts';
import { callKey, type Ledger } from '../tools/ledger.ts';
import { openWorkspace } from '../tools/workspace.ts';
import type { Dependencies } from './dependencies.ts';
import { withLiveText } from './live.ts';
import { readTranscript } from './read-transcript.ts';
import { stopSignal } from './stop-signal.ts';
import type { Transcript } from './transcript-cache.ts';

/** How soon a step tries again whose workspace may still be written to by an earlier call. */
const BUSY_RETRY_MS = 2_000;

/** Characters of a tool's newest output that people can watch. */
const LIVE_CHARACTERS = 4_000;

interface Step {
  readonly input: RunToolInput;
  readonly use: ToolUseBlock;
  readonly transcript: Transcript;
  readonly effect: Effect;
  readonly ledger: Ledger;
  /** Names this call for ever: the same on every attempt, and never that of another call. */
  readonly key: string;
  readonly show: (live: LiveText) => void;
}

/** Runs one tool call, at most once where that matters, and returns what is known of it. */
export async function runTool(dependencies: Dependencies, input: RunToolInput): Promise<RunToolResult> {
  const transcript = await readTranscript(dependencies.transcripts, input.messages);
  const use = findCall(transcript, input);
  if (dependencies.registry.digestOf(use.name, use.input) !== input.digest) {
    throw ApplicationFailure.nonRetryable(
      `Cannot run "${use.name}": the arguments are not those that were decided about`,
    );
  }
  const ledger = await dependencies.ledgerOf(transcript.spec.workspace).catch(() => null);
  if (ledger === null)
    return notRun('error', 'file_not_found', `the workspace "${transcript.spec.workspace}" cannot be used`);
  const effect = transcript.spec.tools.find(({ name }) => name === use.name)?.effect ?? 'unsafe';
  const key = `t${input.turn}-c${input.index}-${input.digest.slice(7, 19)}`;
  await refuseWhileAbandoned({ transcript, ledger, key });
  return await withLiveText(async (show) => {
    const step: Step = { input, use, transcript, effect, ledger, key, show };
    return effect === 'read' ? await execute(dependencies, step) : await executeOnce(dependencies, step);
  });
}

function findCall({ messages }: Transcript, { callId }: RunToolInput): ToolUseBlock {
  const message = messages.findLast(({ role }) => role === 'assistant');
  const use = message?.role === 'assistant' ? toolUses(message).find(({ id }) => id === callId) : undefined;
  if (use === undefined)
    throw ApplicationFailure.nonRetryable(`Cannot run call "${callId}": the transcript has no such call`);
  return use;
}

/** A timeout does not prove that the old call stopped; until it has, no step of this run starts here. */
async function refuseWhileAbandoned({
  ledger,
  transcript,
  key,
}: Pick<Step, 'ledger' | 'transcript' | 'key'>): Promise<void> {
  const [abandoned] = await ledger.abandoned(transcript.spec.runId, key);
  if (abandoned === undefined) return;
  throw busy(`an earlier call of this run may still be writing (process ${abandoned.pid} on ${abandoned.host})`);
}

function busy(why: string): ApplicationFailure {
  return ApplicationFailure.create({
    message: `Cannot start in this workspace yet: ${why}`,
    type: FAILURES.workspaceBusy,
    nextRetryDelay: BUSY_RETRY_MS,
  });
}

async function executeOnce(dependencies: Dependencies, step: Step): Promise<RunToolResult> {
  const { ledger, transcript, key, effect } = step;
  const claim = { run: transcript.spec.runId, call: key, effect, holder: dependencies.holder };
  const kept = await ledger.once<RunToolResult>(claim, async () => await execute(dependencies, step));
  switch (kept.kind) {
    case 'done':
    case 'stored':
      return kept.value;
    case 'busy':
      throw busy(`another attempt of this call is still running (process ${kept.holder.pid} on ${kept.holder.host})`);
    case 'unknown':
      return notRun('unknown', 'outcome_unknown', told.unknown('its worker was lost while it ran'));
  }
}

async function execute(
  { registry, holder }: Dependencies,
  { input, use, transcript, key, show }: Step,
): Promise<RunToolResult> {
  const context = Context.current();
  const started = performance.now();
  const workspace = await openWorkspace(transcript.spec.workspace);
  try {
    return await registry.run(use.name, use.input, {
      workspace,
      signal: stopSignal(),
      key: callKey(transcript.spec.runId, key),
      live: createLive(show),
      permits: (path) => grantCovers(input.grant, path),
      worker: holder.worker,
    });
  } catch (error) {
    if (context.cancellationDetails?.cancelRequested !== true) throw error;
    const durationMs = Math.round(performance.now() - started);
    const result = notRun(
      'cancelled',
      'cancelled',
      `the run was cancelled; this call was stopped after ${durationMs} ms.`,
    );
    return { ...result, durationMs };
  }
}

function createLive(show: (live: LiveText) => void): (text: string) => void {
  let offset = 0;
  let tail = '';
  return (text) => {
    tail = (tail + text).slice(-LIVE_CHARACTERS);
    offset += text.length;
    show({ kind: 'output', offset, tail });
  };
}
