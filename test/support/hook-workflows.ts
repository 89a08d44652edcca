import { proxyActivities, proxySinks } from '@temporalio/workflow';
import type { Activities, HookInput, HookResult, TranscriptSink } from '../../src/contract/activities.ts';
import type { Hook } from '../../src/contract/terms.ts';
import type { Run } from '../../src/core/run.ts';
import { callHook, type HookMatter } from '../../src/workflows/call-hook.ts';

/** As much of a run as a hook is told of. */
export type HookedRun = Pick<Run, 'spec' | 'turn' | 'messages'>;

/** Calls a hook as a run does. */
export async function callsHook(run: HookedRun, hook: Hook, matter: HookMatter): Promise<HookResult> {
  show(run);
  return await callHook({ ...run, compactions: 0 }, hook, matter);
}

/** Asks for the activity with an input of the test's own, so that it can be asked twice for the same. */
export async function asksForHook(run: HookedRun, input: HookInput): Promise<HookResult> {
  show(run);
  const { runHook } = proxyActivities<Activities>({ startToCloseTimeout: 60_000, heartbeatTimeout: 15_000 });
  return await runHook(input);
}

function show({ spec, messages }: HookedRun): void {
  const { transcript } = proxySinks<{ readonly transcript: TranscriptSink }>();
  transcript.open(spec, 0);
  transcript.append(0, messages);
}
