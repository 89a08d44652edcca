import { ApplicationFailure, Context } from '@temporalio/activity';
import type { LiveText, RunToolInput, RunToolResult } from '../contract/activities.ts';
import { FAILURES } from '../contract/names.ts';
import type { Effect, ToolQuestion } from '../contract/tool-calls.ts';
import { judgedCall } from '../core/policy/judged-call.ts';
import { deniesPath, permitsHost, permitsPath, YOLO_GRANT } from '../core/policy/policy.ts';
import { toolUses } from '../core/replies.ts';
import { notRun, told } from '../core/told.ts';
import { effectiveUse, type EffectiveUse } from '../core/calls/use-tool.ts';
import { textDigest } from '../tools/digest.ts';
import { callKey, type CallClaim, type Finding, type Ledger } from '../tools/ledger/ledger.ts';
import { createLiveTail } from '../tools/live-tail.ts';
import type { Redactor } from '../tools/redaction/redaction.ts';
import { fitted, resultOf } from '../tools/run-tool.ts';
import type { ToolContext } from '../tools/tool.ts';
import { openWorkspace } from '../tools/files/workspace.ts';
import { onceClaimed, refuseWhileAbandoned } from './busy.ts';
import { keyOf } from './call-key.ts';
import type { Dependencies } from './dependencies.ts';
import { withLiveText } from './live.ts';
import { readTranscript } from './read-transcript.ts';
import { stopSignal } from './stop-signal.ts';
import type { Transcript } from './transcript-cache.ts';

/** How soon a call is tried again whose failure may pass, times the number of the attempt. */
const FAILING_RETRY_MS = 500;

/** How often such a call is tried where its tool does not say. */
const ATTEMPTS_MAX = 3;

/** Characters of a tool's newest output that people can watch. */
const LIVE_CHARACTERS = 4_000;

interface Step {
  readonly input: RunToolInput;
  readonly use: EffectiveUse;
  readonly transcript: Transcript;
  readonly effect: Effect;
  readonly ledger: Ledger;
  /** Names this call for ever: the same on every attempt, and never that of another call. */
  readonly key: string;
  readonly show: (live: LiveText) => void;
}

/** Runs one tool call, at most once where that matters, and returns what is known of it. */
export async function runTool(dependencies: Dependencies, input: RunToolInput): Promise<RunToolResult> {
  const transcript = await readTranscript(dependencies.transcripts, input);
  const use = findCall(transcript, input);
  if (dependencies.registry.digestOf(use.name, use.input) !== input.digest) {
    throw ApplicationFailure.nonRetryable(
      `Cannot run "${use.name}": the arguments are not those that were decided about`,
    );
  }
  if (input.grant === YOLO_GRANT && !dependencies.yoloEnabled) return notRun('denied', 'denied', told.yoloNotEnabled);
  const ledger = await dependencies.ledgerOf(transcript.spec.workspace).catch(() => null);
  if (ledger === null)
    return notRun('error', 'file_not_found', `the workspace "${transcript.spec.workspace}" cannot be used`);
  const effect = transcript.spec.tools.find(({ name }) => name === use.name)?.effect ?? 'unsafe';
  const key = keyOf(input);
  await refuseWhileAbandoned(ledger, { run: transcript.spec.runId, key });
  return await withLiveText(async (show) => {
    const step: Step = { input, use, transcript, effect, ledger, key, show };
    return effect === 'read' ? await execute(dependencies, step) : await executeOnce(dependencies, step);
  });
}

function findCall({ messages }: Transcript, { callId }: RunToolInput): EffectiveUse {
  const message = messages.findLast(({ role }) => role === 'assistant');
  const use = message?.role === 'assistant' ? toolUses(message).find(({ id }) => id === callId) : undefined;
  if (use === undefined)
    throw ApplicationFailure.nonRetryable(`Cannot run call "${callId}": the transcript has no such call`);
  return effectiveUse(use);
}

async function executeOnce(dependencies: Dependencies, step: Step): Promise<RunToolResult> {
  const { ledger, transcript, key, effect } = step;
  const claim: CallClaim = {
    run: transcript.spec.runId,
    call: key,
    effect,
    holder: dependencies.holder,
    ...(effect === 'checkable' && { probe: async () => await probe(dependencies, step) }),
  };
  return await onceClaimed<RunToolResult>(ledger, claim, {
    what: 'call',
    work: async () => await execute(dependencies, step),
    unknown: () => notRun('unknown', 'outcome_unknown', told.unknown('its worker was lost while it ran')),
  });
}

async function execute(dependencies: Dependencies, step: Step): Promise<RunToolResult> {
  const { registry, redactor } = dependencies;
  const started = performance.now();
  try {
    const context = await contextOf(dependencies, step);
    const changed = await changedSinceShown(dependencies, step, context);
    if (changed !== undefined) return changed;
    const ran = await registry.run(step.use, context);
    if (ran.kind === 'asks')
      return { status: 'asks', question: redacted(redactor, ran.question), durationMs: ran.durationMs };
    const content = redactor.text(ran.result.content);
    if (ran.passing) retryIfAllowed(dependencies, step, content);
    return fitted({ ...ran.result, content });
  } catch (error) {
    if (Context.current().cancellationDetails?.cancelRequested !== true) throw error;
    const durationMs = Math.round(performance.now() - started);
    const why = `the run was cancelled; this call was stopped after ${durationMs} ms.`;
    return { ...notRun('cancelled', 'cancelled', why), durationMs };
  }
}

/** What people read of it. What only the tool reads comes back to it as it was. */
function redacted({ text }: Redactor, { message, options, state }: ToolQuestion): ToolQuestion {
  return { message: text(message), options: options.map(({ id, label }) => ({ id, label: text(label) })), state };
}

async function contextOf({ holder, redactor }: Dependencies, step: Step): Promise<ToolContext> {
  const { input, use, transcript, effect, key, show } = step;
  const { spec } = transcript;
  const call = judgedCall(spec, { tool: use.name, effect }, { input: use.input, check: undefined });
  return {
    workspace: await openWorkspace(spec.workspace),
    agent: spec.agent.name,
    definitions: spec.tools,
    signal: stopSignal(),
    key: callKey(spec.runId, key),
    live: createLive(show, redactor.text),
    permits: (path) => input.grant === undefined || permitsPath(spec.policy, call, { path, access: 'write' }),
    mayRead: (path) => !deniesPath(spec.policy, call, path),
    mayReach: (host) => permitsHost(spec.policy, call, { host, isGranted: input.grant !== undefined }),
    worker: holder.worker,
    unconfined: input.unconfined === true,
    answers: input.answers ?? [],
  };
}

/** What a person approved is what runs: when the same call would do something else by now, it does nothing. */
async function changedSinceShown(
  { registry }: Dependencies,
  { input, use, transcript }: Step,
  look: ToolContext,
): Promise<RunToolResult | undefined> {
  if (input.shown === undefined) return undefined;
  const preview = await registry.foretell(use, { definitions: transcript.spec.tools, look });
  if (preview !== undefined && textDigest(preview) === input.shown) return undefined;
  return notRun('error', 'permission_denied', told.changedSinceShown);
}

/** Temporal repeats it, so that each attempt is seen in the history of the step, with the message of its failure. */
function retryIfAllowed({ registry }: Dependencies, { use, effect }: Step, message: string): void {
  const { attempt } = Context.current().info;
  const mayRepeat = effect === 'read' || effect === 'idempotent' || effect === 'keyed';
  if (!mayRepeat || attempt >= (registry.get(use.name)?.attemptsMax ?? ATTEMPTS_MAX)) return;
  throw ApplicationFailure.create({
    message,
    type: FAILURES.toolFailing,
    nextRetryDelay: FAILING_RETRY_MS * attempt,
  });
}

async function probe(dependencies: Dependencies, step: Step): Promise<Finding> {
  const probed = await dependencies.registry.probe(step.use, await contextOf(dependencies, step));
  if (probed.kind !== 'happened') return probed;
  const { content, ...result } = resultOf(probed.output, 0);
  return { kind: 'happened', value: fitted({ ...result, content: dependencies.redactor.text(content) }) };
}

function createLive(show: (live: LiveText) => void, redact: (text: string) => string): (text: string) => void {
  const tailWith = createLiveTail(redact, LIVE_CHARACTERS);
  let offset = 0;
  return (text) => {
    offset += text.length;
    show({ kind: 'output', offset, tail: tailWith(text) });
  };
}
